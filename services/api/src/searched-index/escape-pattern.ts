const OPERATORS = /[!-\/:-@\[-`\{-~]/g;

/** Escapes a text in a regular expression of Lucene, whose syntax has operators, such as `#` and `~`, that are not in JavaScript's. */
export function escapePattern(text: string): string {
  return text.replace(OPERATORS, '\\$&');
}
