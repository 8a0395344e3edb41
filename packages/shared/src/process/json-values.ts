const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Not 0 for the bytes that are counted or begin a string, so that all others cost one comparison. */
const NOTED = Uint8Array.from({ length: 256 }, (_, byte) => Number('",[{'.includes(String.fromCharCode(byte))));
/** The rest of a long string is searched: a search takes as long as some 100 bytes. */
const SEARCH_AFTER_BYTES = 256;

/**
 * The bound of a JSON text of others, before it is parsed: its cost is that of its values, and not that of its bytes.
 *
 * Whether a JSON text in UTF-8 has more than `max` commas and opening brackets outside of strings. They limit its values
 * and its levels of nesting. One pass over the bytes, which ends above `max`, takes less time than to parse the text.
 * @param stringsMax a limit of strings, also of names: an object of many names takes 20 times as long as a list of numbers
 */
export function hasMoreValues(json: Buffer, max: number, stringsMax = Infinity): boolean {
  const { length } = json;
  let values = 0;
  let strings = 0;
  let at = 0;
  while (at < length && values <= max && strings <= stringsMax) {
    const byte = json[at++] ?? 0;
    if (NOTED[byte] === 0) continue;
    if (byte !== QUOTE) values += 1;
    else {
      at = endOfString(json, at);
      strings += 1;
    }
  }
  return values > max || strings > stringsMax;
}

/** The response of another service exceeds a limit, which the message names. */
export class TooMuchJson extends Error {
  override readonly name = 'TooMuchJson';
}

type JsonLimits = { bytes: number; values: number; strings: number };

/** @returns the text of the response of another service @throws TooMuchJson */
export async function readJsonText({ body }: Response, { bytes: bytesMax, values, strings }: JsonLimits): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new TooMuchJson(`it exceeds ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  const json = Buffer.concat(chunks, bytes);
  if (hasMoreValues(json, values, strings)) throw new TooMuchJson(`it has more than ${values} values or ${strings} strings`);
  return json.toString();
}

/** Searches only in long strings, because a text may have a million short ones. @returns where the text continues */
function endOfString(json: Buffer, start: number): number {
  const { length } = json;
  let at = start;
  while (at < length) {
    const near = Math.min(at + SEARCH_AFTER_BYTES, length);
    while (at < near) {
      const byte = json[at++];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at += 1;
    }
    if (at < length) at = nextQuote(json, at);
  }
  return at;
}

/** @returns where the next quote is, or behind it if it is escaped */
function nextQuote(json: Buffer, start: number): number {
  const quote = json.indexOf(QUOTE, start);
  if (quote === -1) return json.length;
  let escapes = quote;
  while (escapes > start && json[escapes - 1] === BACKSLASH) escapes -= 1;
  return (quote - escapes) % 2 === 0 ? quote : quote + 1;
}
