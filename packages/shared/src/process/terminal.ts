/**
 * What a terminal does not show as a character of its line: control characters, among them the escapes that move the
 * cursor, the ends of lines and paragraphs, and the characters that override or isolate the direction of writing. The
 * marks of a direction (U+061C, U+200E, U+200F) stay: they do no more than a letter of that direction, and names have
 * them.
 */
const MOVES = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;
/** JSON has escapes for the other ones already; a line of the log ends with a line feed. */
const MOVES_IN_JSON = /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

/** What others have written, as a part of one line: it forges no further line, and does not reorder the line. */
export function inOneLine(text: string): string {
  return text.replace(MOVES, ' ');
}

/** The same JSON, which a terminal shows as it is. */
export function escapeJson(json: string): string {
  return json.replace(MOVES_IN_JSON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
