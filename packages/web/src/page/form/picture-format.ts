/** What the bytes of a file say. */
export type PictureFormat = {
  /** Whether the API accepts pictures of this format. */
  isAccepted: boolean;
  isAnimated: boolean;
  /** Whether the end is missing: a browser shows what there is of such a picture, and the API refuses it. */
  isCut: boolean;
};

type Format = { begins: RegExp; isAccepted: boolean; isAnimated?: (text: string) => boolean; isCut?: (text: string) => boolean };

// A byte is one character of the text.
const FORMATS: Format[] = [
  {
    begins: /^\x89PNG/,
    isAccepted: true,
    isAnimated: (text) => text.slice(0, text.indexOf('IDAT')).includes('acTL'),
    isCut: (text) => !/IEND.{4}/s.test(text),
  },
  // A preview in the metadata has an end of its own.
  { begins: /^\xff\xd8\xff/, isAccepted: true, isCut: (text) => text.lastIndexOf('\xff\xd9') <= text.lastIndexOf('\xff\xda') },
  { begins: /^GIF8/, isAccepted: true, isAnimated: (text) => readGif(text).frames > 1, isCut: (text) => readGif(text).isCut },
  {
    begins: /^RIFF.{4}WEBP/s,
    isAccepted: true,
    isAnimated: (text) => text.includes('ANMF'),
    isCut: (text) => text.length < 8 + littleEndian(text.slice(4, 8)),
  },
  { begins: /^.{4}ftyp/s, isAccepted: false, isAnimated: (text) => /^.{8}(avis|msf1|hevc)/s.test(text) },
];

export function formatOf(bytes: Uint8Array): PictureFormat {
  const text = toText(bytes);
  const { isAccepted = false, isAnimated, isCut } = FORMATS.find(({ begins }) => begins.test(text)) ?? {};
  return { isAccepted, isAnimated: isAnimated?.(text) ?? false, isCut: isCut?.(text) ?? false };
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
