/**
 * A word with symbols that are meant, although the standard tokenizer removes them or splits the word at them: `c++`,
 * `.net`, `r2-d2`, `3/4`, `node.js`. `strict`: without its symbols it is one plain word with another meaning (`c++`,
 * `.net`), and must not be searched as that. The terms of another literal together mean the same, so they may be
 * searched as a phrase.
 */
export type Literal = { text: string; strict: boolean };

/** Longer words are addresses, which nobody types. */
const MAX_LENGTH = 64;
/** An item has at most this many, so that no item has far more terms than others. */
const MAX_LITERALS = 500;

// Blanks, brackets, quotation marks, commas (except in numbers), pictures, and letters of scripts that are written
// without blanks or, as Korean, append particles to foreign words.
const SEPARATOR =
  /[\s\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{So}"<>;\|[[\p{Po}\p{Pd}]--[\0-\x7f]]\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+|,(?!\d)|(?<!\d),/v;
const SEPARATORS = new RegExp(SEPARATOR, 'vg');

/**
 * Only for speed: without a match all chunks of a text are PLAIN. One scan takes 2 % of the time that its chunks take.
 */
const MAY_HAVE_LITERALS = /[^\p{L}\p{M}\p{N}'_\s.,:!?]|[.,:!?](?!\s|$)/u;
/** Only for speed: what nearly all words are. */
const PLAIN = /^[\p{L}\p{M}\p{N}'_]*[.,:!?]?$/u;
const CORE = /[\p{L}\p{N}](?:.*[\p{L}\p{M}\p{N}])?/su;
// Every one at the end, so that a literal that is parsed again has none.
const POSSESSIVES = /'s?(?=(?:[^\p{L}\p{M}\p{N}]|'s)*$)/gu;
const LEADING_DOT = /(?:^|[^.])\.$/;
const LAST_SYMBOLS = /^(?:\+\+|#)(?![+#])/;
const PLUS = /^\+(?![+#])/;

/** @returns the distinct literals of a folded text; see `literalsIn` */
export function extractLiterals(folded: string): string[] {
  if (!MAY_HAVE_LITERALS.test(folded)) return [];
  const literals = new Set<string>();
  for (const chunk of splitChunks(folded)) {
    if (PLAIN.test(chunk)) continue;
    for (const { text } of literalsIn(chunk)) {
      literals.add(text);
      if (literals.size === MAX_LITERALS) return [...literals];
    }
  }
  return [...literals];
}

const PARTS = /[^\/:&\-]+/g;
/** `c++` of "c++17", `.net` of ".net8". */
const BEFORE_NUMBER = /^\.?\p{L}+(?:\+\+|#)?(?=\p{N})/u;
/** "1000.00" and "10:30:00" are other numbers without their signs. */
const CODE_WITH_SIGNS = /^[a-z\d]+(?:[\-\/][a-z\d]+)+$|^(?=.*[a-z])[a-z\d]+(?::[a-z\d]+)+$/;
const CODE = /^(?=.*\d)[a-z\d]{6,20}$/;

/**
 * Finds the literal that a chunk of `splitChunks` is, and those that are its parts, as in `c/c++`. A long number or code
 * is a literal without its signs as well: "978-3-16-148410-0" is also written "9783161484100".
 */
export function literalsIn(chunk: string): { text: string; start: number; end: number }[] {
  const parts = [...chunk.matchAll(PARTS)].map(({ 0: text, index }) => ({ text, start: index }));
  return [{ text: chunk, start: 0 }, ...parts].flatMap((part) => {
    const literal = parseLiteral(part.text)?.text;
    if (literal === undefined) return [];
    // A possessive 's may stand between a word and its symbols; then it belongs to the range.
    const at = part.text.indexOf(literal);
    const start = part.start + Math.max(at, 0);
    const end = start + (at < 0 ? part.text : literal).length;
    const [name, code] = [nameBeforeNumber(literal), codeWithoutSigns(literal)];
    return [
      { text: literal, start, end },
      ...(name ? [{ text: name, start, end: start + name.length }] : []),
      ...(code ? [{ text: code, start, end }] : []),
    ];
  });
}

function nameBeforeNumber(literal: string): string | undefined {
  const [name] = BEFORE_NUMBER.exec(literal) ?? [];
  return name !== undefined && parseLiteral(name)?.strict ? name : undefined;
}

function codeWithoutSigns(literal: string): string | undefined {
  const code = literal.replaceAll(/[^a-z\d]/g, '');
  return CODE_WITH_SIGNS.test(literal) && isCode(code) ? code : undefined;
}

/** Whether items may write the word with signs; see `literalsIn`. */
export function isCode(word: string): boolean {
  return CODE.test(word);
}

/** Splits a folded text where no literal continues. The chunks may have punctuation before and after their word. */
export function splitChunks(folded: string): string[] {
  return folded.split(SEPARATOR).filter((chunk) => chunk !== '');
}

/** The text with a blank where `splitChunks` splits it. It keeps the letters of the scripts that are no chunks. */
export function separateChunks(folded: string): string {
  const separated = folded.replaceAll(SEPARATORS, (separator) => ` ${separator.replaceAll(/[^\p{L}\p{M}]/gu, ' ')} `);
  return separated.trim().replaceAll(/\s+/g, ' ');
}

/**
 * @returns undefined if the chunk, without sentence punctuation, is a plain word such as `pixel-art`, `dog's` or
 * `snake_case`
 */
export function parseLiteral(chunk: string): Literal | undefined {
  if (chunk.length > MAX_LENGTH) return undefined;
  const word = chunk.replace(POSSESSIVES, '');
  const found = CORE.exec(word);
  if (!found) return undefined;
  const { 0: core, index } = found;
  const dot = /^\p{L}/u.test(core) && LEADING_DOT.test(word.slice(0, index)) ? '.' : '';
  const text = `${dot}${core}${lastSymbols(core, word.slice(index + core.length))}`;
  if (hasInnerSymbols(core)) return { text, strict: false };
  // ".net-core" is also "NET Core".
  return text === core ? undefined : { text, strict: dot === '' || !core.includes('-') };
}

/** `c+` and `18+` are literals, but a plus after a longer word rarely means anything. */
function lastSymbols(core: string, rest: string): string {
  return (LAST_SYMBOLS.exec(rest) ?? ([...core].length <= 2 ? PLUS.exec(rest) : null))?.[0] ?? '';
}

// The tokenizer keeps apostrophes and underscores. Hyphens between letters only join words, which are searched as a
// phrase.
function hasInnerSymbols(core: string): boolean {
  const withoutHyphens = /\p{N}/u.test(core) ? core : core.replaceAll('-', '');
  return /[^\p{L}\p{M}\p{N}'_]/u.test(withoutHyphens);
}

const SYMBOLS = /[^\p{L}\p{M}\p{N}']+/gu;

/** @returns the terms of a word without its symbols: "node js" of "node.js" */
export function plainTerms(word: string, separate: (folded: string) => string): string {
  return separate(word).replaceAll(SYMBOLS, ' ').trim();
}

const SIGN = /[^\p{L}\p{M}\p{N}'_ ]/u;

/** Whether the text has a character that no plain word has. */
export function hasSign(folded: string): boolean {
  return SIGN.test(folded);
}

const INSIDE_WORD = /[\p{L}\p{M}\p{N}]$/u;

/** Whether a folded text contains another one with its signs, from the beginning of a word on; the last word may go on. */
export function containsAsWritten(folded: string, part: string): boolean {
  const [text = '', beginning = ''] = [folded, part].map(separateChunks);
  const textsBefore = text.split(beginning).slice(0, -1);
  return textsBefore.some((before) => !INSIDE_WORD.test(before));
}
