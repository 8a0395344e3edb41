/** A colour in sRGB, each channel from 0 to 255. */
type Colour = readonly [number, number, number];

const WHITE: Colour = [255, 255, 255];
const BLACK: Colour = [0, 0, 0];
/** WCAG 2.2, success criterion 1.4.3: of text in its usual size. */
const CONTRAST = 4.5;
// The surfaces of packages/web/src/shared/styles/tokens.css that the accent is read on.
const LIGHT_SURFACES = ['#ffffff', '#f5f6f8', '#eef0f4'];
const DARK_SURFACES = ['#15171c', '#0e1014', '#1c1f26', '#252932'];
const ON_DARK = '#0f1530';
/** So much of the accent is in the surface of what is chosen. */
const TINT = 0.08;
const DARK_TINT = 0.2;
const STEPS = 50;

/**
 * The styles that replace the accent of the web page. That of the dark scheme is the same colour, made lighter until texts
 * can be read.
 *
 * @param accent such as `#0b6e4f` · @returns styles, or a darker colour that would do if texts could not be read
 */
export function accentStyles(accent: string): { styles: string } | { darker: string } {
  const light = parse(accent);
  if (!isReadable(light)) return { darker: format(firstMix(light, BLACK, isReadable)) };
  const dark = firstMix(light, WHITE, isReadableInDark);
  const pairs: Record<string, [Colour, Colour]> = {
    accent: [light, dark],
    'accent-strong': [mix(light, BLACK, 0.2), mix(dark, WHITE, 0.3)],
    'accent-surface': [lightTint(light), darkTint(dark)],
  };
  const rules = Object.entries(pairs).map(([name, [first, second]]) => `--${name}:light-dark(${format(first)},${format(second)})`);
  return { styles: `:root{${rules.join(';')}}` };
}

function isReadable(accent: Colour): boolean {
  return [...LIGHT_SURFACES.map(parse), lightTint(accent)].every((surface) => contrast(accent, surface) >= CONTRAST);
}

function isReadableInDark(accent: Colour): boolean {
  return [...DARK_SURFACES.map(parse), darkTint(accent), parse(ON_DARK)].every((surface) => contrast(accent, surface) >= CONTRAST);
}

function lightTint(accent: Colour): Colour {
  return mix(WHITE, accent, TINT);
}

function darkTint(accent: Colour): Colour {
  return mix(parse('#15171c'), accent, DARK_TINT);
}

/** The colour with the least of the other one for which the condition holds; with all of it, it holds. */
function firstMix(colour: Colour, other: Colour, holds: (colour: Colour) => boolean): Colour {
  const shares = Array.from({ length: STEPS }, (_, step) => step / STEPS);
  return shares.map((share) => mix(colour, other, share)).find(holds) ?? other;
}

function mix(colour: Colour, other: Colour, share: number): Colour {
  const channel = (at: 0 | 1 | 2): number => Math.round(colour[at] * (1 - share) + other[at] * share);
  return [channel(0), channel(1), channel(2)];
}

/** WCAG 2.2, "contrast ratio". @returns 1 to 21 */
export function contrast(one: Colour, other: Colour): number {
  const [darker, lighter] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** WCAG 2.2, "relative luminance". */
function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param colour such as `#0b6e4f` */
export function parse(colour: string): Colour {
  const channel = (at: number): number => Number.parseInt(colour.slice(at, at + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

function format(colour: Colour): string {
  return `#${colour.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
