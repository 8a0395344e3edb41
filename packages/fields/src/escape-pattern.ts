/** Lucene's syntax has operators, such as `#` and `~`, that are not in JavaScript's. */
const OPERATORS = /[!-\/:-@\[-`\{-~]/g;

/** @returns a regular expression of Lucene that matches exactly this text */
export function escapePattern(text: string): string {
  return text.replace(OPERATORS, '\\$&');
}
