import { writeFileSync } from 'node:fs';
import { encodePng } from '../../test/support/database/images.ts';
import { SCENES, type Layer, type Paint } from './scenes.ts';
import type { Shape } from './shapes.ts';

// Draws the pictures of the demo collection: each scene in four hues. `node tools/demo-pictures/draw.ts` writes them.

const FOLDER = new URL('../../services/api/demo/pictures/', import.meta.url);
const SIDE = 96;
const HUES = [30, 120, 210, 300];

type Rgb = [number, number, number];

for (const [name, scene] of Object.entries(SCENES))
  HUES.forEach((hue, n) => writeFileSync(new URL(`${name}-${n + 1}.png`, FOLDER), draw(scene, hue)));

/** A PNG of about 2 kB in colours around `hue` (in degrees). */
function draw(scene: Layer[], hue: number): Buffer {
  const paints = paintsOf(hue);
  const pixels = new Uint8Array(SIDE * SIDE * 3);
  for (let y = 0; y < SIDE; y++) {
    const sky = mixed(paints.sky, paints.horizon, y / SIDE);
    for (let x = 0; x < SIDE; x++) pixels.set(sky, (y * SIDE + x) * 3);
  }
  for (const [paint, shape] of scene) paintOver(pixels, paints[paint], coverageOf(shape));
  return encodePng({ width: SIDE, height: SIDE, channels: 3, pixels });
}

function paintOver(pixels: Uint8Array, paint: Rgb, covered: Float32Array): void {
  for (let pixel = 0; pixel < covered.length; pixel++) {
    const part = covered[pixel] ?? 0;
    if (part === 0) continue;
    for (let channel = 0; channel < 3; channel++) {
      const at = pixel * 3 + channel;
      pixels[at] = (pixels[at] ?? 0) * (1 - part) + (paint[channel] ?? 0) * part;
    }
  }
}

/** How much of each pixel a shape covers, from 0 to 1. */
function coverageOf(shape: Shape): Float32Array {
  const centre = (position: number): number => (position + 0.5) / SIDE;
  const covered = (pixel: number): number => 0.5 - shape(centre(pixel % SIDE), centre(Math.floor(pixel / SIDE))) * SIDE;
  return Float32Array.from({ length: SIDE * SIDE }, (_, pixel) => Math.min(Math.max(covered(pixel), 0), 1));
}

function paintsOf(hue: number): Record<Paint | 'sky' | 'horizon', Rgb> {
  const turned = (degrees: number): number => (hue + degrees) % 360;
  return {
    sky: hslToRgb(hue, 0.45, 0.72),
    horizon: hslToRgb(turned(25), 0.55, 0.86),
    pale: hslToRgb(turned(20), 0.6, 0.96),
    light: hslToRgb(turned(10), 0.35, 0.62),
    main: hslToRgb(turned(340), 0.4, 0.46),
    deep: hslToRgb(turned(330), 0.4, 0.26),
    warm: hslToRgb(turned(170), 0.75, 0.6),
  };
}

function mixed(a: Rgb, b: Rgb, part: number): Rgb {
  return [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part, a[2] + (b[2] - a[2]) * part];
}

/** CSS Color Module Level 4, section 7.1: hue in degrees, saturation and lightness from 0 to 1. */
function hslToRgb(hue: number, saturation: number, lightness: number): Rgb {
  const channel = (n: number): number => {
    const k = (n + hue / 30) % 12;
    const amplitude = saturation * Math.min(lightness, 1 - lightness);
    return Math.round(255 * (lightness - amplitude * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}
