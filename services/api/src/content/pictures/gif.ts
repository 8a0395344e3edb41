import { BrokenPicture, PictureReader, type Picture } from './picture-reader.ts';

const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b];
const [GRAPHIC_CONTROL, APPLICATION] = [0xf9, 0xff];
/** Applications whose data decide what a picture looks like: the repetition of an animation, and the colour profile. */
const VISIBLE = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

export function isGif(bytes: Buffer): boolean {
  return ['GIF87a', 'GIF89a'].includes(bytes.toString('latin1', 0, 6));
}

/**
 * Reads a GIF. Comments, texts and the data of other applications, such as XMP, are removed.
 * @throws BrokenPicture
 */
export function readGif(bytes: Buffer): Picture {
  const reader = new PictureReader(bytes);
  const header = reader.take(13);
  const kept = [header, takeColours(reader, header.readUInt8(10))];
  for (let introducer = 0; introducer !== TRAILER;) {
    const start = reader.position;
    introducer = reader.byte();
    if (takeBlock(reader, introducer)) kept.push(reader.since(start));
  }
  return { width: header.readUInt16LE(6), height: header.readUInt16LE(8), bytes: Buffer.concat(kept) };
}

/** @returns whether the block is kept */
function takeBlock(reader: PictureReader, introducer: number): boolean {
  if (introducer === EXTENSION) return takeExtension(reader);
  if (introducer === IMAGE) takeImage(reader);
  // Some programs write zeros between the blocks.
  else if (introducer !== TRAILER && introducer !== 0) throw new BrokenPicture('there is no such block');
  return introducer !== 0;
}

function takeExtension(reader: PictureReader): boolean {
  const label = reader.byte();
  const first = takeSubBlocks(reader);
  return label === GRAPHIC_CONTROL || (label === APPLICATION && VISIBLE.has(first.toString('latin1')));
}

function takeImage(reader: PictureReader): void {
  takeColours(reader, reader.take(9).readUInt8(8));
  // The size of the first code.
  reader.byte();
  takeSubBlocks(reader);
}

/** @param flags whether there is a table of colours, and its size */
function takeColours(reader: PictureReader, flags: number): Buffer {
  return reader.take(flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
}

/** @returns the first one */
function takeSubBlocks(reader: PictureReader): Buffer {
  const first = reader.take(reader.byte());
  for (let last = first; last.length > 0;) last = reader.take(reader.byte());
  return first;
}
