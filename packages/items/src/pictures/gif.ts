import { BrokenPicture, PictureReader, type Picture } from './picture-reader.ts';

const HEADER_BYTES = 13;
const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b];
const [GRAPHIC_CONTROL, APPLICATION] = [0xf9, 0xff];
/** Applications whose data decide what a picture looks like: the repetition of an animation, and the colour profile. */
const VISIBLE = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

export function isGif(bytes: Buffer): boolean {
  return ['GIF87a', 'GIF89a'].includes(bytes.toString('latin1', 0, 6));
}

/** Comments, texts and the data of other applications, such as XMP, are removed. @throws BrokenPicture, TooManyParts */
export function readGif(bytes: Buffer, partsMax: number): Picture {
  const reader = new PictureReader(bytes, { partsMax });
  const header = reader.skip(HEADER_BYTES);
  reader.growTo(bytes.readUInt16LE(6), bytes.readUInt16LE(8));
  skipColours(reader, bytes.readUInt8(10));
  reader.keep(header);
  for (let introducer = 0; introducer !== TRAILER;) {
    // Some programs write zeros between the blocks.
    while (bytes[reader.position] === 0) reader.position += 1;
    const start = reader.beginPart();
    introducer = reader.byte();
    if (takeBlock(reader, introducer)) reader.keep(start);
  }
  return reader.picture();
}

/** @returns whether the block is kept */
function takeBlock(reader: PictureReader, introducer: number): boolean {
  if (introducer === EXTENSION) return takeExtension(reader);
  if (introducer === IMAGE) takeImage(reader);
  else if (introducer !== TRAILER) throw new BrokenPicture('there is no such block');
  return true;
}

function takeExtension(reader: PictureReader): boolean {
  const label = reader.byte();
  const first = reader.position;
  skipSubBlocks(reader);
  return label === GRAPHIC_CONTROL || (label === APPLICATION && VISIBLE.has(reader.text(first + 1, reader.bytes.readUInt8(first))));
}

function takeImage(reader: PictureReader): void {
  const { bytes } = reader;
  const image = reader.skip(9);
  reader.frames += 1;
  const uint16 = (at: number): number => bytes.readUInt16LE(image + at);
  // Left and top, width and height. A screen without pixels stays one.
  if (reader.width > 0 && reader.height > 0) reader.growTo(uint16(0) + uint16(4), uint16(2) + uint16(6));
  skipColours(reader, bytes.readUInt8(image + 8));
  // The size of the first code.
  reader.byte();
  skipSubBlocks(reader);
}

/** @param flags whether there is a table of colours, and its size */
function skipColours(reader: PictureReader, flags: number): void {
  reader.skip(flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
}

function skipSubBlocks(reader: PictureReader): void {
  for (let length = reader.byte(); length > 0; length = reader.byte()) reader.skip(length);
}
