import { onlyOrientation } from './orientation.ts';
import { BrokenPicture, ENDS_TOO_EARLY, PictureReader, type Picture } from './picture-reader.ts';

/** `start` is where the marker is. `length` bytes from `data` on follow marker and length; pixels follow a scan header. */
type Segment = { marker: number; start: number; data: number; length: number };

const [START_OF_SCAN, END_OF_IMAGE] = [0xda, 0xd9];
const [APP_0, APP_1, APP_2, APP_14] = [0xe0, 0xe1, 0xe2, 0xee];
/** Of tables, frames, scans and restart intervals. */
const CODING = new Set([...range(0xc0, 0xcf), ...range(0xda, 0xdf), 0xdb]);
/** Huffman tables, an extension, and arithmetic coding: all others in this range begin a frame; 0xde contains frames. */
const FRAMES = new Set([...range(0xc0, 0xcf).filter((marker) => ![0xc4, 0xc8, 0xcc].includes(marker)), 0xde]);

/** An encoder writes about ten. */
const SCANS_OF_STILL = 100;

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

/** ITU-T T.81. Comments and application data, such as EXIF, XMP and IPTC, are removed. @throws BrokenPicture, TooManyParts */
export function readJpeg(bytes: Buffer, partsMax: number): Picture {
  const reader = new PictureReader(bytes, { partsMax });
  reader.keep(reader.skip(2));
  let orientation: Buffer | undefined;
  let scans = 0;
  for (let marker = 0; marker !== END_OF_IMAGE;) {
    const segment = takeSegment(reader);
    const { data, length } = segment;
    ({ marker } = segment);
    if (marker === START_OF_SCAN) scans += 1;
    if (FRAMES.has(marker) && length >= 5) reader.growTo(bytes.readUInt16BE(data + 3), bytes.readUInt16BE(data + 1));
    if (marker === APP_1 && !orientation && begins(reader, segment, EXIF)) {
      orientation = onlyOrientation(bytes.subarray(data, data + length));
      if (orientation) reader.insert(writeSegment(APP_1, Buffer.concat([Buffer.from(`${EXIF}\0`, 'latin1'), orientation])));
    } else keepVisible(reader, segment);
  }
  // Each scan of a progressive picture is decoded over all of it.
  if (scans > SCANS_OF_STILL) reader.frames = scans;
  return reader.picture();
}

/** Bytes before the marker are skipped, as by other programs. */
function takeSegment(reader: PictureReader): Segment {
  const { bytes } = reader;
  reader.position = findMarker(bytes, reader.position);
  const start = reader.beginPart();
  const marker = bytes.readUInt8(reader.skip(2) + 1);
  if (marker === END_OF_IMAGE) return { marker, start, data: reader.position, length: 0 };
  const length = bytes.readUInt16BE(reader.skip(2)) - 2;
  if (length < 0) throw new BrokenPicture('a length does not count itself');
  const data = reader.skip(length);
  if (marker === START_OF_SCAN) reader.position = findMarker(bytes, reader.position);
  return { marker, start, data, length };
}

/** Looks at each byte: pixels may consist of bytes 0xff, and a search for each of them would take longer. */
function findMarker(bytes: Buffer, from: number): number {
  for (let at = from; at + 1 < bytes.length; at += 1) {
    if (bytes[at] === 0xff && !isStandalone(bytes[at + 1] ?? 0)) return at;
  }
  throw new BrokenPicture(ENDS_TOO_EARLY);
}

/** Whether the marker has no length: nothing but pixels follows it. */
function isStandalone(marker: number): boolean {
  return marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8) || marker === 0xff;
}

function keepVisible(reader: PictureReader, segment: Segment): void {
  const { marker, start, data } = segment;
  if (isKept(reader, segment)) reader.keep(start);
  // Two zeros: the size of the picture that is left out.
  else if (marker === APP_0 && begins(reader, segment, JFIF, JFIF_BYTES + 2))
    reader.insert(writeSegment(APP_0, Buffer.concat([reader.bytes.subarray(data, data + JFIF_BYTES), Buffer.alloc(2)])));
  else if (marker === APP_14 && begins(reader, segment, ADOBE, ADOBE_BYTES))
    reader.insert(writeSegment(APP_14, reader.bytes.subarray(data, data + ADOBE_BYTES)));
}

function isKept(reader: PictureReader, segment: Segment): boolean {
  const { marker } = segment;
  return marker === END_OF_IMAGE || CODING.has(marker) || (marker === APP_2 && begins(reader, segment, PROFILE));
}

/** Whether the segment begins with a text, and is not too short to be what the text says. */
function begins(reader: PictureReader, { data, length }: Segment, text: string, lengthMin = text.length): boolean {
  return length >= lengthMin && reader.text(data, text.length) === text;
}

function writeSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, position) => first + position);
}
