import { encodePng } from './png.ts';

const SIDE = 48;

/** A small PNG (about 1 kB): a disc in front of a sky, in colours around `hue` (in degrees). */
export function thumbnailPng(hue: number): Buffer {
  const positions = Array.from({ length: SIDE }, (_, position) => position);
  const pixels = positions.flatMap((y) => positions.flatMap((x) => pixel(hue, x, y)));
  return encodePng({ width: SIDE, height: SIDE, channels: 3, pixels: Uint8Array.from(pixels) });
}

function pixel(hue: number, x: number, y: number): [number, number, number] {
  const inDisc = Math.hypot(x - SIDE * 0.62, y - SIDE * 0.42) < SIDE * 0.22;
  return inDisc ? hslToRgb((hue + 40) % 360, 0.8, 0.75) : hslToRgb(hue, 0.5, 0.25 + (0.4 * y) / SIDE);
}

/** CSS Color Module Level 4, section 7.1: hue in degrees, saturation and lightness from 0 to 1. */
function hslToRgb(hue: number, saturation: number, lightness: number): [number, number, number] {
  const channel = (n: number): number => {
    const k = (n + hue / 30) % 12;
    const amplitude = saturation * Math.min(lightness, 1 - lightness);
    return Math.round(255 * (lightness - amplitude * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}
