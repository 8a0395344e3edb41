/** The colours of a picture: behind everything, around the subject, below it, two that stand out, outlines, and white. */
export type Colours = { back: string; glow: string; ground: string; a: string; b: string; dark: string; light: string };
/** Draws on an area of 150 x 100. Its middle, 100 x 100, is what a phone shows. @returns elements of SVG */
export type Scene = (colours: Colours) => string;

const colours = (back: string, glow: string, ground: string, a: string, b: string, dark: string): Colours => ({
  ...{ back, glow, ground, a, b, dark },
  light: '#fffaf0',
});

/** The number behind the name of a picture chooses one, from 1. */
export const PALETTES: Colours[] = [
  colours('#cfe6f5', '#e6f3fb', '#8fb8d6', '#d8573f', '#f2b84b', '#27405c'),
  colours('#f9dcc4', '#fdeee0', '#dba67c', '#2f7f86', '#e4572e', '#4a2c2a'),
  colours('#d3ecdc', '#eaf7ee', '#8cc3a0', '#e07a5f', '#f2cc5f', '#25463a'),
  colours('#ddd6f3', '#eeeafa', '#a99bd6', '#f27a78', '#5fa08f', '#352f5b'),
  colours('#fbe7a6', '#fff6d6', '#d9bf6b', '#3d6fb4', '#d1495b', '#473c1c'),
  colours('#f8d3dc', '#fdebef', '#d893a6', '#3a7d7c', '#f2a65a', '#54263a'),
  colours('#46568c', '#6275ae', '#2b3866', '#f6b26b', '#f2726f', '#182143'),
  colours('#2b6173', '#3f8095', '#1b4553', '#f5cb5c', '#ee8568', '#0f2d37'),
];

export const rect = (x: number, y: number, width: number, height: number, fill: string, round = 0): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${round}" fill="${fill}"/>`;
export const circle = (x: number, y: number, radius: number, fill: string): string =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}"/>`;
export const oval = (x: number, y: number, radiusX: number, radiusY: number, fill: string): string =>
  `<ellipse cx="${x}" cy="${y}" rx="${radiusX}" ry="${radiusY}" fill="${fill}"/>`;
export const area = (path: string, fill: string): string => `<path d="${path}" fill="${fill}"/>`;
export const line = (path: string, stroke: string, width = 3): string =>
  `<path d="${path}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
export const text = (written: string, x: number, y: number, size: number, fill: string): string =>
  `<text x="${x}" y="${y}" font-size="${size}" font-family="DejaVu Sans, sans-serif" font-weight="700" text-anchor="middle" fill="${fill}">${written}</text>`;
/** @param by a transformation of SVG, such as `rotate(20 75 50)` */
export const turned = (by: string, ...parts: string[]): string => `<g transform="${by}">${parts.join('')}</g>`;
export const each = <T>(values: T[], draw: (value: T, at: number) => string): string => values.map(draw).join('');
export const places = (points: [number, number][], draw: (x: number, y: number) => string): string =>
  points.map(([x, y]) => draw(x, y)).join('');
export const dots = (points: [number, number][], radius: number, fill: string): string =>
  places(points, (x, y) => circle(x, y, radius, fill));
export const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** From one colour at the top to another at `end`, a part of the height. */
export function sky(top: string, bottom: string, end = 1): string {
  const id = `sky-${top.slice(1)}-${bottom.slice(1)}`;
  const stops = `<stop stop-color="${top}"/><stop offset="${end}" stop-color="${bottom}"/>`;
  return `<linearGradient id="${id}" x2="0" y2="1">${stops}</linearGradient>${rect(0, 0, 150, 100, `url(#${id})`)}`;
}

export const STARS: [number, number][] = [[12, 14], [28, 30], [39, 9], [57, 22], [72, 8], [96, 15], [112, 31], [126, 11], [140, 26], [8, 44], [49, 41], [88, 36], [134, 47]]; // prettier-ignore
export const stars = (fill = '#fff6d8'): string => places(STARS, (x, y) => circle(x, y, (x % 3) / 3 + 0.5, fill));
export const rain = (stroke: string): string =>
  line(
    each(range(26), (n) => `M${(n * 37) % 155} ${(n * 23) % 80}l-3 9`),
    stroke,
    1.2,
  );
export const hills = (top: number, swing: number, fill: string): string => area(`M0 ${top}q38 ${-swing} 75 0t75 0v100H0z`, fill);

/** What is behind a thing: a table or a disc, by the palette. */
export function backdrop(c: Colours): string {
  const behind = rect(0, 0, 150, 100, c.back);
  const disc = circle(75, 50, 44, c.glow);
  return PALETTES.indexOf(c) % 2 === 0 ? behind + disc : behind + disc + rect(0, 80, 150, 20, c.ground);
}
