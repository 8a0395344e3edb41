const [QUOTE, BACKSLASH] = ['"', '\\'].map((character) => character.charCodeAt(0));
const OPENING = new Set(Buffer.from('[{'));
const CLOSING = new Set(Buffer.from(']}'));

/** Whether arrays and objects of a JSON text in UTF-8 are nested deeper than so many levels. Takes time in proportion to its length. */
export function isNestedDeeper(json: Buffer, levels: number): boolean {
  // Every level takes two bytes.
  if (json.length <= 2 * levels) return false;
  let depth = 0;
  for (let position = 0; position < json.length && depth <= levels; position += 1) {
    const byte = json[position] ?? 0;
    if (byte === QUOTE) position = endOfString(json, position);
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
  }
  return depth > levels;
}

function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
