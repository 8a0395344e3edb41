import { onlyOrientation } from './orientation.ts';
import { PictureReader, type Picture } from './picture-reader.ts';

type Chunk = { type: string; data: Buffer };
type Size = { width: number; height: number };

const HEADER_BYTES = 12;
const NO_SIZE: Size = { width: 0, height: 0 };
const VISIBLE = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
/** The flags of the chunk VP8X. */
const [HAS_EXIF, HAS_XMP] = [0x08, 0x04];

export function isWebp(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
}

/**
 * Reads a WebP (RFC 9649). EXIF, XMP and unknown chunks are removed.
 * @throws BrokenPicture
 */
export function readWebp(bytes: Buffer): Picture {
  const chunks = chunksOf(bytes);
  const exif = chunks.find(({ type }) => type === 'EXIF');
  // Without the chunk VP8X, programs do not look for EXIF.
  const orientation = exif && chunks.some(({ type }) => type === 'VP8X') ? onlyOrientation(exif.data) : undefined;
  const kept = chunks.filter(({ type }) => VISIBLE.has(type)).map((each) => withFlags(each, orientation ? HAS_EXIF : 0));
  if (orientation) kept.push({ type: 'EXIF', data: orientation });
  return { ...chunks.map(sizeOf).reduce(larger, NO_SIZE), bytes: write(kept) };
}

function chunksOf(bytes: Buffer): Chunk[] {
  // The header counts the bytes that follow its first two fields.
  const reader = new PictureReader(new PictureReader(bytes).take(8 + bytes.readUInt32LE(4)));
  const { length } = reader.bytes;
  const chunks: Chunk[] = [];
  for (reader.take(HEADER_BYTES); reader.position < length;) {
    const type = reader.take(4).toString('latin1');
    const data = reader.take(reader.take(4).readUInt32LE());
    // A chunk of an odd length is padded; some programs omit that of the last one.
    if (data.length % 2 === 1 && reader.position < length) reader.take(1);
    chunks.push({ type, data });
  }
  return chunks;
}

function withFlags(chunk: Chunk, hasExif: number): Chunk {
  if (chunk.type !== 'VP8X' || chunk.data.length === 0) return chunk;
  const data = Buffer.from(chunk.data);
  data[0] = (data.readUInt8() & ~(HAS_EXIF | HAS_XMP)) | hasExif;
  return { ...chunk, data };
}

/** The size that a chunk declares. */
function sizeOf({ type, data }: Chunk): Size {
  if (data.length < 10) return NO_SIZE;
  if (type === 'VP8X') return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
  if (type === 'VP8 ') return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
  if (type !== 'VP8L') return NO_SIZE;
  const bits = data.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function larger(one: Size, other: Size): Size {
  return { width: Math.max(one.width, other.width), height: Math.max(one.height, other.height) };
}

function write(chunks: Chunk[]): Buffer {
  const body = chunks.flatMap(({ type, data }) => [header(type, data.length), data, Buffer.alloc(data.length % 2)]);
  const form = Buffer.from('WEBP', 'latin1');
  const length = form.length + body.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([header('RIFF', length), form, ...body]);
}

function header(type: string, length: number): Buffer {
  const written = Buffer.alloc(8);
  written.write(type, 'latin1');
  written.writeUInt32LE(length, 4);
  return written;
}
