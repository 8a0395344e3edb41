/** The sides are in pixels. `bytes` end where the picture ends, and contain no metadata but orientation and colours. */
export type Picture = {
  width: number;
  height: number;
  bytes: Buffer;
  /** How often the whole picture is decoded: a browser draws each frame on all of it. */
  frames: number;
};

/** A picture ends before it is complete, or one of its lengths is wrong. */
export class BrokenPicture extends Error {
  override readonly name = 'BrokenPicture';
}

/** A picture has more parts than `partsMax`: segments of a JPEG, chunks of a PNG or WebP, blocks of a GIF. */
export class TooManyParts extends Error {
  override readonly name = 'TooManyParts';
}

export const ENDS_TOO_EARLY = 'the picture ends too early';

/** Reads a picture in the order of its bytes, each once, and notes which ranges are kept. A part costs no buffer. */
export class PictureReader {
  position = 0;
  readonly bytes: Buffer;
  /** Where the picture ends at the latest. */
  readonly end: number;
  /** The largest that the picture declares. */
  width = 0;
  height = 0;
  frames = 0;
  #partsLeft: number;
  readonly #kept: Buffer[] = [];
  /** The last range that is kept; later ones extend it if they follow it directly. */
  #from = 0;
  #to = 0;

  constructor(bytes: Buffer, { partsMax, end = bytes.length }: { partsMax: number; end?: number }) {
    if (end > bytes.length) throw new BrokenPicture(ENDS_TOO_EARLY);
    this.bytes = bytes;
    this.end = end;
    this.#partsLeft = partsMax;
  }

  /** @returns where the next part begins @throws TooManyParts */
  beginPart(): number {
    this.#partsLeft -= 1;
    if (this.#partsLeft < 0) throw new TooManyParts('the picture has too many parts');
    return this.position;
  }

  skip(length: number): number {
    const start = this.position;
    if (start + length > this.end) throw new BrokenPicture(ENDS_TOO_EARLY);
    this.position = start + length;
    return start;
  }

  /** @throws BrokenPicture */
  byte(): number {
    return this.bytes.readUInt8(this.skip(1));
  }

  text(start: number, length: number): string {
    return this.bytes.toString('latin1', start, Math.min(start + length, this.end));
  }

  /** Programs differ in which of several sizes they use. */
  growTo(width: number, height: number): void {
    this.width = Math.max(this.width, width);
    this.height = Math.max(this.height, height);
  }

  /** Keeps the bytes from `start` to the position. */
  keep(start: number): void {
    if (start !== this.#to) this.#endRange(start);
    this.#to = this.position;
  }

  insert(bytes: Buffer): void {
    this.#endRange(this.position);
    this.#kept.push(bytes);
  }

  picture(): Picture {
    this.#endRange(this.position);
    return { width: this.width, height: this.height, bytes: Buffer.concat(this.#kept), frames: Math.max(this.frames, 1) };
  }

  #endRange(next: number): void {
    if (this.#to > this.#from) this.#kept.push(this.bytes.subarray(this.#from, this.#to));
    this.#from = this.#to = next;
  }
}
