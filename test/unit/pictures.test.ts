import { describe, expect, it, jest } from '@jest/globals';
import { BrokenPicture, TooManyParts } from '@ugc/items/pictures/picture-reader';
import { formatOf, PARTS_MAX } from '@ugc/items/pictures/thumbnail';
import fc from 'fast-check';
import {
  exif,
  gif,
  gifExtension,
  jpeg,
  jpegSegment,
  png,
  webp,
  webpChunk,
  webpAnimated,
  webpExtended,
  pngChunk,
} from '../support/database/images.ts';
import { runs } from '../support/jest/long.ts';

const HOME = 'GPS 48.137154, 11.576124';
const read = (bytes: Buffer, partsMax = Infinity) => formatOf(bytes)!.read(bytes, partsMax);
const clean = (bytes: Buffer): Buffer => read(bytes).bytes;
const text = (value: string): Buffer => Buffer.from(value, 'latin1');
/** EXIF with a place, and with this orientation unless it is 0. */
const placed = (orientation = 0): Buffer => exif(orientation, HOME);
const inJpeg = (tiff: Buffer): Buffer => jpegSegment(0xe1, Buffer.concat([text('Exif\0\0'), tiff]));
const ICC = Buffer.concat([text('ICC_PROFILE\0\u0001\u0001'), Buffer.alloc(200, 5)]);
const ADOBE = jpegSegment(0xee, Buffer.concat([text('Adobe'), Buffer.from('0064000000000001'.slice(0, 14), 'hex')]));

describe('a picture', () => {
  it.each<[string, Buffer]>([
    ['PNG', png({ width: 3, height: 2, extra: [pngChunk('iCCP', Buffer.alloc(99, 1)), pngChunk('pHYs', Buffer.alloc(9))] })],
    ['animated PNG', png({ extra: [pngChunk('acTL', Buffer.alloc(8)), pngChunk('fcTL', Buffer.alloc(26))] })],
    ['GIF', gif({ frames: 3, extensions: [gifExtension(0xff, 'NETSCAPE2.0', '\u0001\0\0'), gifExtension(0xf9, '\0\0\0\0')] })],
    ['JPEG', jpeg({ segments: [jpegSegment(0xe2, ICC), ADOBE], scan: Buffer.from('12ff00ffd0ff0034', 'hex') })],
    ['WebP', webp()],
    ['extended WebP', webpExtended([webpChunk('ICCP', Buffer.alloc(33)), webpChunk('ALPH', Buffer.alloc(4))], 0x30)],
  ])('without metadata stays as it is: %s', (_, bytes) => expect(clean(bytes).equals(bytes)).toBe(true));

  it.each<[string, Buffer, Buffer]>([
    ['EXIF in a JPEG', jpeg({ segments: [inJpeg(placed())] }), jpeg()],
    ['XMP in a JPEG', jpeg({ segments: [jpegSegment(0xe1, text(`http://ns.adobe.com/xap/1.0/\0${HOME}`))] }), jpeg()],
    ['IPTC in a JPEG', jpeg({ segments: [jpegSegment(0xed, text(`Photoshop 3.0\0${HOME}`))] }), jpeg()],
    ['a comment in a JPEG', jpeg({ segments: [jpegSegment(0xfe, text(HOME))] }), jpeg()],
    ['further pictures in a JPEG', jpeg({ segments: [jpegSegment(0xe2, text(`MPF\0${HOME}`))] }), jpeg()],
    ['maker notes in a JPEG', jpeg({ segments: [4, 5, 10, 11, 15].map((n) => jpegSegment(0xe0 + n, text(HOME))) }), jpeg()],
    ['a preview in a JPEG', jpeg({ segments: [jpegSegment(0xe0, text(`JFXX\0${HOME}`))] }), jpeg()],
    ['texts in a PNG', png({ extra: ['tEXt', 'zTXt', 'iTXt'].map((type) => pngChunk(type, text(`Comment\0${HOME}`))) }), png()],
    ['EXIF in a PNG', png({ extra: [pngChunk('eXIf', placed())] }), png()],
    ['the time in a PNG', png({ extra: [pngChunk('tIME', Buffer.alloc(7))] }), png()],
    ['a private chunk in a PNG', png({ extra: [pngChunk('caBX', text(HOME))] }), png()],
    ['a comment in a GIF', gif({ extensions: [gifExtension(0xfe, HOME, HOME)] }), gif()],
    ['XMP in a GIF', gif({ extensions: [gifExtension(0xff, 'XMP DataXMP', HOME)] }), gif()],
    ['zeros between the blocks of a GIF', gif({ extensions: [Buffer.alloc(3)] }), gif()],
    ['EXIF and XMP in a WebP', webpExtended([webpChunk('EXIF', placed()), webpChunk('XMP ', text(HOME))], 0x1c), webpExtended([], 0x10)],
    ['an unknown chunk of a WebP', webpExtended([webpChunk('HOME', text(HOME))], 0), webpExtended([], 0)],
  ])('loses its metadata: %s', (_, bytes, expected) => {
    expect(clean(bytes).equals(expected)).toBe(true);
    expect(clean(bytes).includes('GPS')).toBe(false);
  });

  it.each(['II', 'MM'] as const)('keeps its orientation and colour profile, and nothing else (%s)', (order) => {
    const tiff = exif(6, HOME, order);
    const only = exif(6);
    expect(clean(jpeg({ segments: [inJpeg(tiff), inJpeg(tiff), jpegSegment(0xe2, ICC)] }))).toEqual(
      jpeg({ segments: [inJpeg(only), jpegSegment(0xe2, ICC)] }),
    );
    expect(clean(png({ extra: [pngChunk('eXIf', tiff)] }))).toEqual(png({ extra: [pngChunk('eXIf', only)] }));
    expect(clean(webpExtended([webpChunk('EXIF', tiff)], 0x08))).toEqual(webpExtended([webpChunk('EXIF', only)], 0x08));
  });

  const scan = (count: number): Buffer[] =>
    Array.from({ length: count - 1 }, () => Buffer.concat([jpegSegment(0xda, Buffer.alloc(6)), text('x')]));
  it.each<[string, Buffer, number]>([
    ['a still GIF', gif(), 1],
    ['a GIF whose frames are smaller than its screen', gif({ width: 4_096, height: 4_096, frames: 7 }), 7],
    [
      'an animated PNG',
      png({ extra: [pngChunk('acTL', Buffer.alloc(8)), ...Array.from({ length: 5 }, () => pngChunk('fcTL', Buffer.alloc(26)))] }),
      5,
    ],
    ['an animated PNG that declares fewer frames', png({ extra: Array.from({ length: 3 }, () => pngChunk('fcTL', Buffer.alloc(26))) }), 3],
    ['an animated WebP', webpAnimated({ frames: 9, side: 4_096 }), 9],
    [
      'a WebP with empty frames',
      webpExtended(
        Array.from({ length: 4 }, () => webpChunk('ANMF', Buffer.alloc(0))),
        2,
      ),
      4,
    ],
    ['a progressive JPEG', jpeg({ segments: scan(100) }), 1],
    ['a JPEG with more scans than any encoder writes', jpeg({ segments: scan(3_000) }), 3_000],
  ])('costs as many frames as browsers draw: %s', (_, bytes, frames) => expect(read(bytes).frames).toBe(frames));

  it.each([0, 9, 65_535])('loses an orientation that does not exist: %i', (orientation) => {
    expect(clean(jpeg({ segments: [inJpeg(placed(orientation))] }))).toEqual(jpeg());
  });

  it.each(['II', 'MM'] as const)('loses EXIF whose directory names more entries than it has (%s)', (order) => {
    const tiff = exif(0, HOME, order);
    tiff.fill(0xff, 8, 10);
    expect(clean(jpeg({ segments: [inJpeg(tiff)] }))).toEqual(jpeg());
  });

  it.each(['II', 'MM'] as const)('loses an orientation that stands behind the entries of the directory (%s)', (order) => {
    const tiff = exif(6, '', order);
    tiff.fill(0, 8, 10);
    expect(clean(jpeg({ segments: [inJpeg(tiff)] }))).toEqual(jpeg());
  });

  it.each<[string, Buffer]>([['PNG', png()], ['JPEG', jpeg()], ['GIF', gif()], ['WebP', webp()]])(
    'is cut at its end: %s',
    (_, bytes) => {
      for (const rest of [Buffer.from('SEFT\0\0'), Buffer.alloc(9), bytes, inJpeg(placed())]) {
        expect(clean(Buffer.concat([bytes, rest]))).toEqual(bytes);
      }
    },
  ); // prettier-ignore

  describe('has the largest of the sizes that it declares:', () => {
    const bytes = (size: number, write: (buffer: Buffer) => void): Buffer => {
      const buffer = Buffer.alloc(size);
      write(buffer);
      return buffer;
    };
    const header = pngChunk('IHDR', bytes(13, (data) => data.writeUInt32BE(9_000, 0))); // prettier-ignore
    const pngFrame = pngChunk('fcTL', bytes(26, (data) => { data.writeUInt32BE(8_000, 4); data.writeUInt32BE(1_000, 12); })); // prettier-ignore
    const gifFrame = bytes(11, (frame) => { frame[0] = 0x2c; frame.writeUInt16LE(1_000, 1); frame.writeUInt16LE(8_000, 5); }); // prettier-ignore
    const webpFrame = webpChunk('ANMF', bytes(16, (data) => { data.writeUIntLE(500, 0, 3); data.writeUIntLE(7_999, 6, 3); })); // prettier-ignore
    it.each<[string, Buffer]>([
      ['two headers of a PNG', png({ width: 2, extra: [header] })],
      ['a frame of an animated PNG', png({ extra: [pngFrame] })],
      ['a frame of a GIF', gif({ extensions: [gifFrame, Buffer.alloc(1)] })],
      ['two frames of a JPEG', jpeg({ segments: [jpeg({ width: 9_000 }).subarray(20, 33)] })],
      ['the frames of a hierarchical JPEG', jpeg({ segments: [jpegSegment(0xde, jpeg({ width: 9_000 }).subarray(24, 33))] })],
      ['a frame of an animated WebP', webpExtended([webpFrame], 0x02)],
    ])('%s', (_, picture) => expect(read(picture)).toMatchObject({ width: 9_000, height: 1 }));
  });

  describe('with lengths that lie', () => {
    const whole = [
      jpeg({ segments: [inJpeg(placed(6))] }),
      png({ extra: [pngChunk('eXIf', placed(6))] }),
      gif({ extensions: [gifExtension(0xfe, HOME)] }),
      webpExtended([webpChunk('EXIF', placed(6))], 0x08),
    ];

    it('is refused or read, and cleaned pictures stay as they are, whatever bytes are wrong', () => {
      const change = fc.record({ picture: fc.constantFrom(...whole), at: fc.nat(200), value: fc.nat(255), end: fc.nat(300) });
      const isSafe = ({ picture, at, value, end }: { picture: Buffer; at: number; value: number; end: number }): void => {
        const broken = Buffer.from(picture.subarray(0, end));
        if (at < broken.length) broken[at] = value;
        try {
          const cleaned = formatOf(broken)?.read(broken, Infinity).bytes;
          if (cleaned) expect(clean(cleaned)).toEqual(cleaned);
        } catch (error) {
          expect(error).toBeInstanceOf(BrokenPicture);
        }
      };
      fc.assert(fc.property(change, isSafe), { numRuns: runs(300, 2_000), seed: 20261125 });
    });
  });

  describe('of many parts', () => {
    type Around = [head: Buffer, tail: Buffer];
    const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => byte);
    const CHUNKS = ['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP', 'EXIF', 'XMP ', 'HOME'];
    const PNG_CHUNKS = 'IHDR PLTE IDAT tRNS iCCP pHYs acTL fcTL fdAT eXIf tEXt tIME caBX HOME'.split(' ');
    const around = (picture: Buffer, tailBytes: number): Around => [picture.subarray(0, -tailBytes), picture.subarray(-tailBytes)];
    const inJpeg = around(jpeg(), 12);
    const inScan = around(jpeg(), 2);
    const inPng = around(png(), 12);
    const inWebp: Around = [webpExtended([], 0), Buffer.alloc(0)];
    const inGif = around(gif(), 1);
    const inGifImage = around(gif(), 2);

    const pictureOf = ([head, tail]: Around, part: Buffer, count = Math.floor((524_288 - head.length - tail.length) / part.length)): Buffer => {
      const picture = Buffer.concat([head, Buffer.alloc(count * part.length, part), tail]);
      // A WebP counts the bytes that follow its first two fields.
      if (head === inWebp[0]) picture.writeUInt32LE(picture.length - 8, 4);
      return picture;
    };

    it.each<[string, [Around, Buffer][]]>([
      ['a JPEG', ALL_BYTES.flatMap((marker): [Around, Buffer][] => [[inScan, Buffer.from([0xff, marker])], [inJpeg, jpegSegment(marker, Buffer.alloc(0))]])],
      ['a PNG', PNG_CHUNKS.map((type) => [inPng, pngChunk(type, Buffer.alloc(0))])],
      ['a WebP', CHUNKS.flatMap((type) => [0, 1].map((length): [Around, Buffer] => [inWebp, webpChunk(type, Buffer.alloc(length))]))],
      ['a GIF', [...ALL_BYTES.map((label): [Around, Buffer] => [inGif, Buffer.from([0x21, label, 0])]), [inGif, Buffer.alloc(1)], [inGif, Buffer.from('2c0000000001000100000200', 'hex')], [inGifImage, Buffer.from([1, 0])]]],
    ])('which fill 512 KiB is refused, or takes few buffers: %s', (_, parts) => {
      const outcomes = parts.map(([place, part]) => {
        const { outcome, buffers } = observe(() => void read(pictureOf(place, part), PARTS_MAX));
        return { part: part.toString('hex'), outcome, isBounded: buffers <= 2 * PARTS_MAX };
      });
      expect(outcomes.filter(({ isBounded }) => !isBounded)).toEqual([]);
      expect(outcomes).toContainEqual(expect.objectContaining({ outcome: 'TooManyParts' }));
    });

    it.each<[string, Around, Buffer, others: number]>([
      ['a JPEG', inJpeg, jpegSegment(0xe5, Buffer.alloc(0)), 4],
      ['a PNG', inPng, pngChunk('tEXt', Buffer.alloc(0)), 3],
      ['a WebP', inWebp, webpChunk('ANMF', Buffer.alloc(0)), 2],
      ['a GIF', inGif, Buffer.from('21f900', 'hex'), 2],
    ])('is read up to the limit, in as many buffers as there are ranges, and a stored one above it: %s', (_, place, part, others) => {
      const [most, more] = [PARTS_MAX - others, PARTS_MAX - others + 1].map((count) => pictureOf(place, part, count)) as [Buffer, Buffer];
      const kept = observe(() => void read(most, PARTS_MAX));
      expect([kept.outcome, kept.buffers <= 20]).toEqual(['read', true]);
      expect(observe(() => void read(more, PARTS_MAX)).outcome).toBe('TooManyParts');
      expect(observe(() => void clean(more)).outcome).toBe('read');
    });
  }); // prettier-ignore
});

/** How a picture was read, and the number of buffers that were made or joined. */
function observe(work: () => void): { outcome: string; buffers: number } {
  const subarrays = jest.spyOn(Buffer.prototype, 'subarray');
  const concat = jest.spyOn(Buffer, 'concat');
  try {
    const outcome = outcomeOf(work);
    return { outcome, buffers: subarrays.mock.calls.length + concat.mock.calls.flatMap(([list]) => list).length };
  } finally {
    subarrays.mockRestore();
    concat.mockRestore();
  }
}

function outcomeOf(work: () => void): string {
  try {
    work();
    return 'read';
  } catch (error) {
    if (error instanceof BrokenPicture || error instanceof TooManyParts) return error.name;
    throw error;
  }
}
