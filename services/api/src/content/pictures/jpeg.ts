import { onlyOrientation } from './orientation.ts';
import { BrokenPicture, PictureReader, type Picture } from './picture-reader.ts';

/** `data` follows the marker and the length. `bytes` are the whole segment, with the pixels that follow a scan header. */
type Segment = { marker: number; data: Buffer; bytes: Buffer };

const [START_OF_SCAN, END_OF_IMAGE] = [0xda, 0xd9];
const [APP_0, APP_1, APP_2, APP_14] = [0xe0, 0xe1, 0xe2, 0xee];
/** Of tables, frames, scans and restart intervals. */
const CODING = new Set([...range(0xc0, 0xcf), ...range(0xda, 0xdf), 0xdb]);
/** Huffman tables, an extension, and arithmetic coding: all others in this range begin a frame. */
const FRAMES = new Set(range(0xc0, 0xcf).filter((marker) => ![0xc4, 0xc8, 0xcc].includes(marker)));
/** Markers without a length: nothing but pixels follows them. */
const STANDALONE = new Set([0x00, 0x01, ...range(0xd0, 0xd8), 0xff]);

const JFIF = 'JFIF\0';
const ADOBE = 'Adobe';
const EXIF = 'Exif\0';
const PROFILE = 'ICC_PROFILE\0';
/** Without the picture that JFIF may contain. */
const JFIF_BYTES = 12;
const ADOBE_BYTES = 12;

export function isJpeg(bytes: Buffer): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
}

/**
 * Reads a JPEG (ITU-T T.81). Comments and application data, such as EXIF, XMP, IPTC and further pictures, are removed.
 * @throws BrokenPicture
 */
export function readJpeg(bytes: Buffer): Picture {
  const reader = new PictureReader(bytes);
  const kept = [reader.take(2)];
  const size = { width: 0, height: 0 };
  let orientation: Buffer | undefined;
  for (let segment = takeSegment(reader); segment.marker !== END_OF_IMAGE; segment = takeSegment(reader)) {
    const { marker, data } = segment;
    if (FRAMES.has(marker) && data.length >= 5) growTo(size, data);
    if (marker === APP_1 && !orientation && startsWith(data, EXIF)) {
      orientation = onlyOrientation(data);
      if (orientation) kept.push(writeSegment(APP_1, Buffer.concat([Buffer.from(`${EXIF}\0`, 'latin1'), orientation])));
    } else kept.push(visiblePart(segment));
  }
  return { ...size, bytes: Buffer.concat([...kept, Buffer.from([0xff, END_OF_IMAGE])]) };
}

/** Bytes before the marker are skipped, as by other programs. */
function takeSegment(reader: PictureReader): Segment {
  reader.position = findMarker(reader.bytes, reader.position);
  const start = reader.position;
  const marker = reader.take(2).readUInt8(1);
  if (marker === END_OF_IMAGE) return { marker, data: Buffer.alloc(0), bytes: reader.since(start) };
  const length = reader.take(2).readUInt16BE();
  if (length < 2) throw new BrokenPicture('a length does not count itself');
  const data = reader.take(length - 2);
  if (marker === START_OF_SCAN) reader.position = findMarker(reader.bytes, reader.position);
  return { marker, data, bytes: reader.since(start) };
}

function findMarker(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    if (!STANDALONE.has(bytes[at + 1] ?? 0)) return at;
  }
  throw new BrokenPicture('the picture ends too early');
}

/** @returns what decides how the picture looks; nothing of other segments */
function visiblePart({ marker, data, bytes }: Segment): Buffer {
  const isProfile = marker === APP_2 && startsWith(data, PROFILE);
  if (CODING.has(marker) || isProfile) return bytes;
  // Two zeros: the size of the picture that is left out.
  if (marker === APP_0 && startsWith(data, JFIF))
    return writeSegment(APP_0, Buffer.concat([data.subarray(0, JFIF_BYTES), Buffer.alloc(2)]));
  if (marker === APP_14 && startsWith(data, ADOBE)) return writeSegment(APP_14, data.subarray(0, ADOBE_BYTES));
  return Buffer.alloc(0);
}

/** Programs differ in which of several frames they use. */
function growTo(size: { width: number; height: number }, frame: Buffer): void {
  size.height = Math.max(size.height, frame.readUInt16BE(1));
  size.width = Math.max(size.width, frame.readUInt16BE(3));
}

function writeSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

function startsWith(data: Buffer, text: string): boolean {
  return data.toString('latin1', 0, text.length) === text;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, position) => first + position);
}
