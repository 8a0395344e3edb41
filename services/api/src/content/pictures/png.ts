import { crc32 } from 'node:zlib';
import { onlyOrientation } from './orientation.ts';
import { PictureReader, type Picture } from './picture-reader.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** The optional chunks that decide how the pixels look, also those of an animation. All others are metadata. */
const VISIBLE = new Set('tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD pHYs acTL fcTL fdAT'.split(' '));

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);
}

/**
 * Reads a PNG (ISO/IEC 15948). Texts, the time, EXIF and private chunks are removed.
 * @throws BrokenPicture
 */
export function readPng(bytes: Buffer): Picture {
  const reader = new PictureReader(bytes);
  const kept = [reader.take(SIGNATURE.length)];
  const size = { width: 0, height: 0 };
  let orientation: Buffer | undefined;
  for (let type = ''; type !== 'IEND';) {
    const start = reader.position;
    const length = reader.take(4).readUInt32BE();
    type = reader.take(4).toString('latin1');
    const data = reader.take(length);
    reader.take(4);
    if (type === 'IHDR' && length >= 8) growTo(size, data);
    if (isKept(type)) kept.push(reader.since(start));
    if (type !== 'eXIf' || orientation) continue;
    orientation = onlyOrientation(data);
    if (orientation) kept.push(writeChunk('eXIf', orientation));
  }
  return { ...size, bytes: Buffer.concat(kept) };
}

/** The first letter of a chunk without which a picture cannot be decoded is a capital one. */
function isKept(type: string): boolean {
  return /^[A-Z]/.test(type) || VISIBLE.has(type);
}

/** Programs differ in which of several headers they use. */
function growTo(size: { width: number; height: number }, header: Buffer): void {
  size.width = Math.max(size.width, header.readUInt32BE(0));
  size.height = Math.max(size.height, header.readUInt32BE(4));
}

function writeChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), data.length + 8);
  return chunk;
}
