import { formatNumber } from '../../shared/format.ts';

const UTF8_BYTES_MAX = 4;

/** The text of a file. @throws Error with a sentence for the user if the file is too large or is not text in UTF-8 */
export async function readText(file: File, maxCharacters: number): Promise<string> {
  const tooLarge = new Error(`“${file.name}” is too large: the content may have at most ${formatNumber(maxCharacters)} characters.`);
  // Not even read: it could be larger than the memory.
  if (file.size > maxCharacters * UTF8_BYTES_MAX) throw tooLarge;
  // A folder cannot be read.
  const bytes = await file.arrayBuffer().then(
    (buffer) => new Uint8Array(buffer),
    () => undefined,
  );
  const text = bytes && decode(bytes);
  if (text === undefined) throw new Error(`“${file.name}” ${bytes ? describeBytes(bytes) : 'cannot be read.'}`);
  if ([...text].length > maxCharacters) throw tooLarge;
  return text;
}

/** @returns undefined for another encoding, and for bytes that are no text */
function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

const SAVE_AS = 'Save it again with the encoding UTF-8; a spreadsheet program calls it “CSV UTF-8”.';

/** What the bytes are that are no text in UTF-8, and what to do: the rest of a sentence that begins with the name of the file. */
export function describeBytes(bytes: Uint8Array): string {
  if (isUtf16(bytes)) return `is a text file in UTF-16, which cannot be uploaded. ${SAVE_AS}`;
  if (bytes.some(isControl)) return 'is not a text file. Only text can be uploaded; a spreadsheet as “CSV UTF-8”.';
  return `is a text file in another encoding than UTF-8, probably Windows-1252 or Latin-1. ${SAVE_AS}`;
}

/** Tabs and ends of lines, from 9 to 13, are text. */
const isControl = (byte: number): boolean => byte < 9 || (byte > 13 && byte < 32);

const LOOKED_AT = 1_000;

/** It begins with a byte order mark, or every other byte of most characters is 0. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  if (first + second === 0xff + 0xfe && Math.min(first, second) === 0xfe) return true;
  const start = bytes.subarray(0, LOOKED_AT);
  const zerosAt = (remainder: number): number => start.filter((byte, at) => at % 2 === remainder && byte === 0).length;
  const [even, odd] = [zerosAt(0), zerosAt(1)];
  if (start.some((byte) => byte > 0 && isControl(byte))) return false;
  return Math.min(even, odd) === 0 && Math.max(even, odd) > start.length / 4;
}
