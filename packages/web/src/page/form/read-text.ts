import { bytesOf } from './bytes-of.ts';
import { t } from '../../messages/texts.ts';

const UTF8_BYTES_MAX = 4;

/** The text of a file. @throws Error with a sentence for the user if the file is too large or is not text in UTF-8 */
export async function readText(file: File, maxCharacters: number): Promise<string> {
  const tooLarge = new Error(t('tooLong', { file: file.name, max: maxCharacters }));
  // Not even read: it could be larger than the memory.
  if (file.size > maxCharacters * UTF8_BYTES_MAX) throw tooLarge;
  const bytes = await bytesOf(file);
  const text = decode(bytes);
  if (text === undefined) throw new Error(describeBytes(file.name, bytes));
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

/** What the bytes of a file are that are no text in UTF-8, and what to do. */
export function describeBytes(file: string, bytes: Uint8Array): string {
  if (isUtf16(bytes)) return `${t('inUtf16', { file })} ${t('saveAsUtf8')}`;
  if (bytes.some(isControl)) return t('noText', { file });
  return `${t('inOther', { file })} ${t('saveAsUtf8')}`;
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
