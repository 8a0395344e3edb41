import { describe, expect, it } from '@jest/globals';
import { pngChunk } from '@ugc/api/commands/demo/png';
import { BrokenPicture } from '@ugc/api/content/pictures/picture-reader';
import { formatOf } from '@ugc/api/content/pictures/read-picture';
import { withoutMetadata } from '@ugc/api/content/thumbnail';
import fc from 'fast-check';
import { exif, gif, gifExtension, jpeg, jpegSegment, png, webp, webpChunk, webpExtended } from '../support/database/images.ts';
import { runs } from '../support/jest/long.ts';

const HOME = 'GPS 48.137154, 11.576124';
const clean = (bytes: Buffer): Buffer => formatOf(bytes)!.read(bytes).bytes;
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

  it.each([0, 9, 65_535])('loses an orientation that does not exist: %i', (orientation) => {
    expect(clean(jpeg({ segments: [inJpeg(placed(orientation))] }))).toEqual(jpeg());
  });

  it.each<[string, Buffer]>([['PNG', png()], ['JPEG', jpeg()], ['GIF', gif()], ['WebP', webp()]])(
    'is cut at its end: %s',
    (_, bytes) => {
      for (const rest of [Buffer.from('SEFT\0\0'), Buffer.alloc(9), bytes, inJpeg(placed())]) {
        expect(clean(Buffer.concat([bytes, rest]))).toEqual(bytes);
      }
    },
  ); // prettier-ignore

  it('has the largest of the sizes that it declares', () => {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(9_000, 0);
    expect(formatOf(png())!.read(png({ width: 2, extra: [pngChunk('IHDR', header)] })).width).toBe(9_000);
    const frame = jpeg({ width: 8_000 }).subarray(20, 33);
    expect(formatOf(jpeg())!.read(jpeg({ segments: [frame] })).width).toBe(8_000);
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
          const cleaned = formatOf(broken)?.read(broken).bytes;
          if (cleaned) expect(clean(cleaned)).toEqual(cleaned);
        } catch (error) {
          expect(error).toBeInstanceOf(BrokenPicture);
        }
      };
      fc.assert(fc.property(change, isSafe), { numRuns: runs(300, 2_000), seed: 20261125 });
    });

    it.each(whole)('is served as it was stored if it cannot be read', (picture) => {
      const broken = picture.subarray(0, picture.length - 20);
      expect(withoutMetadata(broken)).toEqual(broken);
    });
  });
});
