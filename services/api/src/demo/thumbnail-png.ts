import { crc32, deflateSync } from 'node:zlib';

const SIDE = 48;

/** A small PNG (about 1 kB): a disc before a sky, in colours around `hue` degrees. */
export function thumbnailPng(hue: number): Buffer {
  const rows = Array.from({ length: SIDE }, (_, y) => [0, ...Array.from({ length: SIDE }, (_, x) => pixel(hue, x, y)).flat()]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header.set([8, 2, 0, 0, 0], 8); // 8 bits a channel, RGB, no interlace
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

function pixel(hue: number, x: number, y: number): [number, number, number] {
  const inDisc = Math.hypot(x - SIDE * 0.62, y - SIDE * 0.42) < SIDE * 0.22;
  return inDisc ? hslToRgb((hue + 40) % 360, 0.8, 0.75) : hslToRgb(hue, 0.5, 0.25 + (0.4 * y) / SIDE);
}

/** CSS Color Module Level 4, section 7.1: hue in degrees, saturation and lightness from 0 to 1, channels from 0 to 255. */
function hslToRgb(hue: number, saturation: number, lightness: number): [number, number, number] {
  const channel = (n: number): number => {
    const k = (n + hue / 30) % 12;
    const amplitude = saturation * Math.min(lightness, 1 - lightness);
    return Math.round(255 * (lightness - amplitude * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}
