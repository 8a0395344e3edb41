const [QUOTE, BACKSLASH] = ['"', '\\'].map((character) => character.charCodeAt(0));
const OPENING = new Set(Buffer.from('[{'));
const CLOSING = new Set(Buffer.from(']}'));

/** Whether the arrays and objects of a JSON text in UTF-8 have more than `maxDepth` levels. Takes linear time. */
export function exceedsDepth(json: Buffer, maxDepth: number): boolean {
  // Each level takes at least two bytes.
  if (json.length <= 2 * maxDepth) return false;
  let depth = 0;
  for (let position = 0; position < json.length && depth <= maxDepth; position += 1) {
    const byte = json[position] ?? 0;
    if (byte === QUOTE) position = endOfString(json, position);
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
  }
  return depth > maxDepth;
}

function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
