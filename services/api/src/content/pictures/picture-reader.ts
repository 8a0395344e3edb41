/** The sides are in pixels. `bytes` end where the picture ends, and contain no metadata but orientation and colours. */
export type Picture = { width: number; height: number; bytes: Buffer };

/** A picture ends before it is complete, or one of its lengths is wrong. */
export class BrokenPicture extends Error {
  override readonly name = 'BrokenPicture';
}

/** Reads the bytes of a picture in their order, each once, so that no picture takes more than linear time. */
export class PictureReader {
  position = 0;
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** @throws BrokenPicture */
  take(length: number): Buffer {
    const end = this.position + length;
    if (end > this.bytes.length) throw new BrokenPicture('the picture ends too early');
    const taken = this.bytes.subarray(this.position, end);
    this.position = end;
    return taken;
  }

  /** @throws BrokenPicture */
  byte(): number {
    return this.take(1).readUInt8();
  }

  since(start: number): Buffer {
    return this.bytes.subarray(start, this.position);
  }
}
