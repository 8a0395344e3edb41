import { crc32, deflateSync } from 'node:zlib';

/** Small images made here, so that a test can make them wrong in one place. */

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

type PngOptions = { width?: number; height?: number; pixels?: boolean; extra?: Buffer[] };

/** A grey PNG; without pixels it only claims its size. */
export function png({ width = 1, height = 1, pixels = true, extra = [] }: PngOptions = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const lines = pixels ? Buffer.alloc(height * (width + 1)) : Buffer.alloc(0);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', header), ...extra, chunk('IDAT', deflateSync(lines)), chunk('IEND', Buffer.alloc(0))]);
}

/** A whole PNG of exactly so many bytes. */
export function pngOfBytes(bytes: number): Buffer {
  return png({ extra: [chunk('tEXt', Buffer.alloc(bytes - png().length - 12, 'a'))] });
}

/** A 1 x 1 GIF, animated with more than one frame. */
export function gif({ width = 1, height = 1, frames = 1 } = {}): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const frame = Buffer.from('2c000000000100010000' + '02024c0100', 'hex');
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    size,
    Buffer.from('800000000000ffffff', 'hex'),
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ]);
}

/** A JPEG's outline: start, frame header with its size, an empty scan, end. */
export function jpeg({ width = 1, height = 1, applicationData = [] as Buffer[] } = {}): Buffer {
  const jfif = Buffer.from('ffe000104a46494600010100000100010000', 'hex');
  const frame = Buffer.from('ffc0000b0800010001010111' + '00', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const app = applicationData.map((data) => {
    const marker = Buffer.from('ffe10000', 'hex');
    marker.writeUInt16BE(data.length + 2, 2);
    return Buffer.concat([marker, data]);
  });
  const scan = Buffer.from('ffda0008010100003f0000', 'hex');
  return Buffer.concat([Buffer.from('ffd8', 'hex'), jfif, ...app, frame, scan, Buffer.from('ffd9', 'hex')]);
}

/** A lossless WebP's outline, or its first bytes only. */
export function webp({ width = 1, height = 1 } = {}): Buffer {
  const data = Buffer.alloc(10);
  data[0] = 0x2f;
  data.writeUInt32LE((width - 1) | ((height - 1) << 14), 1);
  const head = Buffer.alloc(20);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(12 + data.length, 4);
  head.write('WEBPVP8L', 8, 'latin1');
  head.writeUInt32LE(data.length, 16);
  return Buffer.concat([head, data]);
}
