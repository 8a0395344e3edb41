import { all, box, circle, common, hills, line, peak, ring, without, type Shape } from './shapes.ts';

/** The colours of a picture: `pale` is light, `deep` is dark, `warm` stands out. */
export type Paint = 'pale' | 'light' | 'main' | 'deep' | 'warm';
export type Layer = [Paint, Shape];

const lines = (left: number, top: number, lengths: number[], width: number): Shape =>
  all(...lengths.map((length, n) => line(left, top + n * 2.1 * width, left + length, top + n * 2.1 * width, width)));
const dots = (places: [number, number][], radius: number): Shape => all(...places.map(([x, y]) => circle(x, y, radius)));
const below =
  (height: number): Shape =>
  (_, y) =>
    height - y;

const BOWL: Layer[] = [
  ['light', below(0.8)],
  ['pale', all(line(0.38, 0.2, 0.42, 0.36, 0.035), line(0.52, 0.16, 0.5, 0.36, 0.035), line(0.64, 0.2, 0.6, 0.36, 0.035))],
  ['warm', common(circle(0.5, 0.46, 0.3), box(0, 0.36, 1, 0.5))],
  ['deep', common(circle(0.5, 0.46, 0.34), below(0.47))],
  ['main', line(0.36, 0.8, 0.64, 0.8, 0.05)],
];
const WINDOW: Layer[] = [
  ['deep', box(0.14, 0.18, 0.86, 0.82, 0.06)],
  ['warm', dots([[0.22, 0.26]], 0.03)],
  ['light', dots([[0.31, 0.26], [0.4, 0.26]], 0.03)], // prettier-ignore
  ['pale', lines(0.24, 0.42, [0.3, 0.18, 0.4, 0.24], 0.045)],
  ['warm', lines(0.5, 0.515, [0.2], 0.045)],
];
const CARDS: Layer[] = [
  ['main', box(0.2, 0.16, 0.68, 0.72, 0.05)],
  ['light', box(0.26, 0.22, 0.74, 0.78, 0.05)],
  ['pale', box(0.32, 0.28, 0.8, 0.84, 0.05)],
  ['warm', circle(0.44, 0.42, 0.06)],
  ['deep', lines(0.4, 0.58, [0.32, 0.24, 0.28], 0.035)],
];
const LEVEL: Layer[] = [
  ['warm', box(0.66, 0.14, 0.8, 0.28)],
  ['main', all(box(0.3, 0.52, 0.7, 0.6), box(0, 0.66, 0.24, 1), box(0.76, 0.4, 1, 0.48))],
  ['deep', box(0, 0.8, 1, 1)],
  ['pale', all(box(0.42, 0.34, 0.58, 0.52), box(0.38, 0.4, 0.62, 0.46))],
  ['deep', all(box(0.46, 0.38, 0.49, 0.42), box(0.53, 0.38, 0.56, 0.42))],
];
const CUBE: Layer[] = [
  ['light', below(0.76)],
  ['main', box(0.24, 0.36, 0.76, 0.82, 0.03)],
  ['deep', all(line(0.24, 0.52, 0.76, 0.52, 0.025), line(0.24, 0.67, 0.76, 0.67, 0.025))],
  ['warm', line(0.34, 0.3, 0.66, 0.18, 0.06)],
  ['deep', line(0.6, 0.12, 0.72, 0.26, 0.11)],
];
const YARN: Layer[] = [
  ['pale', all(line(0.2, 0.16, 0.72, 0.72, 0.035), line(0.8, 0.16, 0.28, 0.72, 0.035))],
  ['warm', circle(0.5, 0.58, 0.28)],
  [
    'main',
    common(
      circle(0.5, 0.58, 0.28),
      all(ring(circle(0.32, 0.44, 0.24), 0.025), ring(circle(0.32, 0.44, 0.34), 0.025), ring(circle(0.72, 0.86, 0.26), 0.025)),
    ),
  ],
  ['warm', line(0.5, 0.86, 0.9, 0.88, 0.03)],
];
const MOUNTAINS: Layer[] = [
  ['warm', circle(0.7, 0.3, 0.12)],
  ['light', peak(0.32, 0.3, 1.1)],
  ['pale', common(peak(0.32, 0.3, 1.1), box(0, 0, 1, 0.42))],
  ['main', peak(0.72, 0.46, 0.9)],
  ['deep', hills(0.8, 0.04, 3, 1)],
];
const DIE: Layer[] = [
  ['light', below(0.78)],
  ['pale', box(0.26, 0.24, 0.78, 0.76, 0.09)],
  ['deep', dots([[0.39, 0.37], [0.65, 0.37], [0.39, 0.63], [0.65, 0.63]], 0.05)], // prettier-ignore
  ['warm', dots([[0.52, 0.5]], 0.05)],
];
const STARS: Layer[] = [
  ['pale', dots([[0.14, 0.2], [0.3, 0.1], [0.84, 0.16], [0.9, 0.5], [0.12, 0.56], [0.7, 0.84], [0.3, 0.86]], 0.018)], // prettier-ignore
  ['warm', circle(0.5, 0.5, 0.22)],
  ['light', common(circle(0.5, 0.5, 0.22), all(box(0, 0.42, 1, 0.46), box(0, 0.55, 1, 0.58)))],
  ['pale', line(0.16, 0.62, 0.84, 0.38, 0.03)],
  ['pale', without(circle(0.8, 0.76, 0.1), circle(0.84, 0.73, 0.09))],
];
const PLANT: Layer[] = [
  ['light', below(0.84)],
  ['main', all(line(0.5, 0.64, 0.5, 0.3, 0.03), circle(0.36, 0.42, 0.12), circle(0.64, 0.36, 0.13), circle(0.5, 0.24, 0.12))],
  ['deep', all(line(0.5, 0.58, 0.37, 0.42, 0.02), line(0.5, 0.5, 0.63, 0.37, 0.02))],
  ['warm', all(box(0.34, 0.62, 0.66, 0.88, 0.04), box(0.3, 0.6, 0.7, 0.68, 0.02))],
];
const PATH: Layer[] = [
  ['warm', circle(0.28, 0.26, 0.1)],
  ['light', hills(0.5, 0.06, 2, 0)],
  ['main', hills(0.64, 0.06, 2, 2)],
  ['pale', all(line(0.62, 0.56, 0.5, 0.68, 0.03), line(0.5, 0.68, 0.64, 0.8, 0.06), line(0.64, 0.8, 0.5, 1, 0.1))],
  [
    'deep',
    all(line(0.22, 0.62, 0.22, 0.74, 0.025), circle(0.22, 0.56, 0.08), line(0.84, 0.56, 0.84, 0.68, 0.025), circle(0.84, 0.5, 0.08)),
  ],
];
const NOTES: Layer[] = [
  ['light', all(box(0.12, 0.62, 0.2, 0.88), box(0.26, 0.5, 0.34, 0.88), box(0.66, 0.56, 0.74, 0.88), box(0.8, 0.68, 0.88, 0.88))],
  ['deep', all(circle(0.4, 0.66, 0.09), circle(0.66, 0.6, 0.09), line(0.475, 0.66, 0.475, 0.26, 0.03), line(0.735, 0.6, 0.735, 0.2, 0.03))],
  ['warm', line(0.475, 0.26, 0.735, 0.2, 0.08)],
];

/** The scenes by the names of their pictures. */
export const SCENES: Record<string, Layer[]> = {
  bowl: BOWL,
  window: WINDOW,
  cards: CARDS,
  level: LEVEL,
  cube: CUBE,
  yarn: YARN,
  mountains: MOUNTAINS,
  die: DIE,
  stars: STARS,
  plant: PLANT,
  notes: NOTES,
  path: PATH,
};
