import { crc32, deflateSync } from 'node:zlib';

type GreyOptions = { width?: number; height?: number; pixels?: boolean; extra?: Buffer[] };

/** A grey PNG. Without pixels, only its header is valid. */
export function png({ width = 1, height = 1, pixels = true, extra = [] }: GreyOptions = {}): Buffer {
  return encodePng({ width, height, channels: 1, pixels: Buffer.alloc(pixels ? width * height : 0), extra });
}

/** A complete PNG of exactly this many bytes, none of which are metadata. */
export function pngOfBytes(bytes: number): Buffer {
  return png({ extra: [pngChunk('iCCP', Buffer.alloc(bytes - png().length - 12, 'a'))] });
}

/** A 1 x 1 GIF, animated if it has more than one frame. */
export function gif({ width = 1, height = 1, frames = 1, extensions = [] as Buffer[] } = {}): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const frame = Buffer.from('2c000000000100010000' + '02024c0100', 'hex');
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    size,
    Buffer.from('800000000000ffffff', 'hex'),
    ...extensions,
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ]);
}

/** An extension of a GIF: its label and its parts. */
export function gifExtension(label: number, ...parts: string[]): Buffer {
  const blocks = parts.flatMap((part) => [Buffer.from([part.length]), Buffer.from(part, 'latin1')]);
  return Buffer.concat([Buffer.from([0x21, label]), ...blocks, Buffer.alloc(1)]);
}

/** A minimal JPEG: start, further segments, frame header with its size, a scan, end. */
export function jpeg({ width = 1, height = 1, segments = [] as Buffer[], scan = Buffer.alloc(0) } = {}): Buffer {
  const jfif = Buffer.from('ffe000104a46494600010100000100010000', 'hex');
  const frame = Buffer.from('ffc0000b0800010001010111' + '00', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const scanHeader = Buffer.from('ffda0008010100003f00', 'hex');
  return Buffer.concat([Buffer.from('ffd8', 'hex'), jfif, ...segments, frame, scanHeader, scan, Buffer.from('ffd9', 'hex')]);
}

export function jpegSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** EXIF as a TIFF structure: the orientation unless it is 0, and a description unless it is empty. */
export function exif(orientation: number, description = '', order: 'II' | 'MM' = 'MM'): Buffer {
  const entries: [tag: number, type: number, count: number, value: number][] = [];
  if (description !== '') entries.push([0x010e, 2, description.length, 0]);
  if (orientation > 0) entries.push([0x0112, 3, 1, orientation]);
  const tiff = Buffer.alloc(14 + 12 * entries.length);
  const uint16 = (value: number, at: number) => (order === 'II' ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at));
  const uint32 = (value: number, at: number) => (order === 'II' ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at));
  tiff.write(order, 'latin1');
  uint16(42, 2);
  uint32(8, 4);
  uint16(entries.length, 8);
  for (const [position, [tag, type, count, value]] of entries.entries()) {
    const at = 10 + 12 * position;
    uint16(tag, at);
    uint16(type, at + 2);
    uint32(count, at + 4);
    if (type === 3) uint16(value, at + 8);
    else uint32(tiff.length, at + 8);
  }
  return Buffer.concat([tiff, Buffer.from(description, 'latin1')]);
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

/** An extended WebP: a header with flags, an image without data, and further chunks. */
export function webpExtended(chunks: Buffer[], flags: number): Buffer {
  const header = Buffer.alloc(10);
  header[0] = flags;
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), webpChunk('VP8X', header), webp().subarray(12), ...chunks]);
  const form = Buffer.from('RIFF\0\0\0\0', 'latin1');
  form.writeUInt32LE(body.length, 4);
  return Buffer.concat([form, body]);
}

export function webpChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** A complete animated WebP whose frames have one colour, and take about 50 bytes whatever their size. */
export function webpAnimated({ frames, side }: { frames: number; side: number }): Buffer {
  const uint24 = (value: number): Buffer => Buffer.from([value & 255, (value >> 8) & 255, value >> 16]);
  const size = Buffer.concat([uint24(side - 1), uint24(side - 1)]);
  const chunks = Array.from({ length: frames }, (_, frame) => {
    const place = Buffer.concat([uint24(0), uint24(0), size, uint24(20), Buffer.from([2])]);
    return webpChunk('ANMF', Buffer.concat([place, webpChunk('VP8L', oneColour(side, frame & 255))]));
  });
  const header = webpChunk('VP8X', Buffer.concat([Buffer.from([2, 0, 0, 0]), size]));
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), header, webpChunk('ANIM', Buffer.alloc(6)), ...chunks]);
  const form = Buffer.from('RIFF\0\0\0\0', 'latin1');
  form.writeUInt32LE(body.length, 4);
  return Buffer.concat([form, body]);
}

/** RFC 9649: five codes of one symbol each, so that a pixel takes no bit. */
function oneColour(side: number, green: number): Buffer {
  const bits: number[] = [];
  const put = (value: number, count: number): void => {
    for (let bit = 0; bit < count; bit += 1) bits.push((value >> bit) & 1);
  };
  put(side - 1, 14);
  put(side - 1, 14);
  put(0, 7);
  for (const symbol of [green, 10, 20, 255, 0]) {
    put(1, 2);
    put(symbol < 2 ? 0 : 1, 1);
    put(symbol, symbol < 2 ? 1 : 8);
  }
  const bytes = Buffer.alloc(1 + Math.ceil(bits.length / 8) + 8);
  bytes[0] = 0x2f;
  bits.forEach((bit, at) => (bytes[1 + (at >> 3)]! |= bit << (at & 7)));
  return bytes;
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const BITS_PER_CHANNEL = 8;
/** Colour type 0: greyscale; 2: RGB. */
const COLOUR_TYPES = { 1: 0, 3: 2 };

type PngOptions = {
  width: number;
  height: number;
  channels: 1 | 3;
  /** One byte per channel, row by row, without filter bytes. */
  pixels: Uint8Array;
  /** Chunks between the header and the pixels. */
  extra?: Buffer[];
};

/** Encodes an image as PNG (ISO/IEC 15948). Fewer pixels than width × height make it invalid. */
export function encodePng({ width, height, channels, pixels, extra = [] }: PngOptions): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([BITS_PER_CHANNEL, COLOUR_TYPES[channels]], 8);
  const rowBytes = width * channels;
  const rows: Uint8Array[] = [];
  // Every row begins with its filter type: 0, none.
  for (let start = 0; start < pixels.length; start += rowBytes) rows.push(Buffer.alloc(1), pixels.subarray(start, start + rowBytes));
  const data = deflateSync(Buffer.concat(rows));
  return Buffer.concat([SIGNATURE, pngChunk('IHDR', header), ...extra, pngChunk('IDAT', data), pngChunk('IEND', Buffer.alloc(0))]);
}

/** A chunk: length, type, data, and the CRC of type and data. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
