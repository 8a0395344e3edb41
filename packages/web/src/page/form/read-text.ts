import { formatNumber } from '../../shared/format.ts';

const UTF8_BYTES_MAX = 4;

/** The text of a file. @throws Error with a sentence for the user if the file is too large or is not text in UTF-8 */
export async function readText(file: File, maxCharacters: number): Promise<string> {
  const tooLarge = new Error(`“${file.name}” is too large: the content may have at most ${formatNumber(maxCharacters)} characters.`);
  // Not even read: it could be larger than the memory.
  if (file.size > maxCharacters * UTF8_BYTES_MAX) throw tooLarge;
  const text = await decode(file);
  if (text === undefined) throw new Error(`“${file.name}” is not a text file in UTF-8.`);
  if ([...text].length > maxCharacters) throw tooLarge;
  return text;
}

/** @returns undefined for a folder, another encoding, and bytes that are no text */
async function decode(file: Blob): Promise<string | undefined> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
