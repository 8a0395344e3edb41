import { crc32, deflateSync } from 'node:zlib';

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
