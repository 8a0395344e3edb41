/** What the bytes of a file say. */
export type PictureFormat = {
  /** What people call the format; undefined if it is not known. */
  name: string | undefined;
  /** Whether the API accepts pictures of this format. */
  isAccepted: boolean;
  isAnimated: boolean;
  /** Whether the end is missing: a browser shows what there is of such a picture, and the API refuses it. */
  isCut: boolean;
};

type Format = {
  begins: RegExp;
  name: string;
  isAccepted?: boolean;
  isAnimated?: (text: string) => boolean;
  isCut?: (text: string) => boolean;
};

// A byte is one character of the text.
const FORMATS: Format[] = [
  {
    begins: /^\x89PNG/,
    name: 'PNG',
    isAccepted: true,
    isAnimated: (text) => text.slice(0, text.indexOf('IDAT')).includes('acTL'),
    isCut: (text) => !/IEND.{4}/s.test(text),
  },
  // A preview in the metadata has an end of its own.
  {
    begins: /^\xff\xd8\xff/,
    name: 'JPEG',
    isAccepted: true,
    isCut: (text) => text.lastIndexOf('\xff\xd9') <= text.lastIndexOf('\xff\xda'),
  },
  { begins: /^GIF8/, name: 'GIF', isAccepted: true, isAnimated: (text) => readGif(text).frames > 1, isCut: (text) => readGif(text).isCut },
  {
    begins: /^RIFF.{4}WEBP/s,
    name: 'WebP',
    isAccepted: true,
    isAnimated: (text) => text.includes('ANMF'),
    isCut: (text) => text.length < 8 + littleEndian(text.slice(4, 8)),
  },
  { begins: /^.{4}ftypavi[fs]/s, name: 'AVIF', isAnimated: (text) => text.slice(8, 12) === 'avis' },
  // The phones of Apple write it; few browsers read it.
  { begins: /^.{4}ftyp(he[iv]|mif1|msf1)/s, name: 'HEIC', isAnimated: (text) => /^.{8}(msf1|hevc)/s.test(text) },
  { begins: /^.{4}ftyp/s, name: 'MP4' },
  { begins: /^(II\*\0|MM\0\*)/, name: 'TIFF' },
  { begins: /^(\xff\x0a|\0\0\0\x0cJXL )/, name: 'JPEG XL' },
  { begins: /^%PDF/, name: 'PDF' },
];

export function formatOf(bytes: Uint8Array): PictureFormat {
  const text = toText(bytes);
  const { name, isAccepted = false, isAnimated, isCut } = FORMATS.find(({ begins }) => begins.test(text)) ?? {};
  return { name, isAccepted, isAnimated: isAnimated?.(text) ?? false, isCut: isCut?.(text) ?? false };
}

const [END, IMAGE, EXTENSION] = [';', ',', '!'];
const [HEAD, IMAGE_HEAD] = [13, 10];

function readGif(text: string): { frames: number; isCut: boolean } {
  let at = HEAD + tableSize(text, HEAD - 3);
  for (let frames = 0; ;) {
    const block = text[at];
    if (block !== IMAGE && block !== EXTENSION) return { frames, isCut: block !== END };
    if (block === IMAGE) frames += 1;
    at += block === IMAGE ? IMAGE_HEAD + tableSize(text, at + IMAGE_HEAD - 1) + 1 : 2;
    for (let size = NaN; size !== 0; at += 1 + size) size = text.charCodeAt(at) || 0;
  }
}

/** The bytes of the table of colours that these flags announce. */
function tableSize(text: string, flagsAt: number): number {
  const flags = text.charCodeAt(flagsAt);
  return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
}

function littleEndian(text: string): number {
  return [...text].reduceRight((value, character) => value * 256 + character.charCodeAt(0), 0);
}

const AT_ONCE = 8_192;

// The decoder `latin1` of browsers changes some bytes.
function toText(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return text;
}
