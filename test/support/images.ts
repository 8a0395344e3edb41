import { encodePng, pngChunk } from '@ugc/api/commands/demo/png';

type PngOptions = { width?: number; height?: number; pixels?: boolean; extra?: Buffer[] };

/** A grey PNG. Without pixels, only its header is valid. */
export function png({ width = 1, height = 1, pixels = true, extra = [] }: PngOptions = {}): Buffer {
  return encodePng({ width, height, channels: 1, pixels: Buffer.alloc(pixels ? width * height : 0), extra });
}

/** A complete PNG of exactly this many bytes. */
export function pngOfBytes(bytes: number): Buffer {
  return png({ extra: [pngChunk('tEXt', Buffer.alloc(bytes - png().length - 12, 'a'))] });
}

/** A 1 x 1 GIF, animated if it has more than one frame. */
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

/** A minimal JPEG: start, frame header with its size, an empty scan, end. */
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

/** The first 30 bytes of a lossless WebP: container header and image header, without image data. */
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
