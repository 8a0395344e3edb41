import { NEWEST_RULES } from '../rules/text-rules.ts';
import { foldedWords } from './parse-prompt.ts';

/** The words and phrases of `from` mean those of `to`. A rule without `=>` has the same ones on both sides. */
export type SynonymRule = { from: string[]; to: string[]; replaces: boolean };

type Parsed = { rules: SynonymRule[]; problems: string[] };

export const SYNONYMS_MAX_BYTES = 2 ** 20;
const MAX_RULES = 10_000;
const MAX_TEXTS = 32;
const MAX_WORDS = 8;
const MAX_CHARACTERS = 100;
/** Further ones have the same cause. */
const MAX_PROBLEMS = 10;

/** Reads the format of Solr: `gba, game boy advance`, `sofa => couch`, `# comment`; a backslash before `,`, `=` and `\`. */
export function parseSynonyms(bytes: Uint8Array): Parsed {
  if (bytes.byteLength > SYNONYMS_MAX_BYTES) return failed(`the file has ${bytes.byteLength} bytes; the maximum is ${SYNONYMS_MAX_BYTES}`);
  const text = decode(bytes);
  if (text === undefined) return failed('the file is not UTF-8');
  const lines = text.split(/\r\n?|\n/).map((line, at) => ({ line: line.trim(), number: at + 1 }));
  const given = lines.filter(({ line }) => line !== '' && !line.startsWith('#'));
  if (given.length > MAX_RULES) return failed(`the file has ${given.length} rules; the maximum is ${MAX_RULES}`);
  const parsed = given.map(({ line, number }) => ({ number, result: parseRule(line) }));
  const problems = parsed.flatMap(({ number, result }) => (typeof result === 'string' ? [`line ${number} ${result}`] : []));
  return {
    rules: parsed.flatMap(({ result }) => (typeof result === 'string' ? [] : [result])),
    problems: [...problems.slice(0, MAX_PROBLEMS), ...(problems.length > MAX_PROBLEMS ? [`${problems.length - MAX_PROBLEMS} more`] : [])],
  };
}

function failed(problem: string): Parsed {
  return { rules: [], problems: [problem] };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const SEPARATORS = /(\\.|[^,=]|=(?!>))+|,|=>/gs;

/** @returns the rule, or what is wrong with it */
function parseRule(line: string): SynonymRule | string {
  const parts: string[] = line.match(SEPARATORS) ?? [];
  const arrow = parts.indexOf('=>');
  if (arrow !== parts.lastIndexOf('=>')) return 'has more than one =>';
  const [from, to] = arrow < 0 ? [textsOf(parts), textsOf(parts)] : [textsOf(parts.slice(0, arrow)), textsOf(parts.slice(arrow + 1))];
  const problem = [...from, ...to].map(problemOf).find((each) => each !== undefined);
  if (problem !== undefined) return problem;
  if (arrow < 0 && from.length < 2) return 'has one word or phrase only; write several, separated by commas, or a => b';
  if (from.length + to.length > 2 * MAX_TEXTS) return `has too many words and phrases; the maximum is ${MAX_TEXTS} on each side`;
  return { from, to, replaces: arrow >= 0 };
}

/** @param parts texts with commas between them @returns the texts; an empty one where none stands */
function textsOf(parts: string[]): string[] {
  const texts = [''];
  for (const part of parts) {
    if (part === ',') texts.push('');
    else texts[texts.length - 1] += part.replace(/\\(.)/gs, '$1').trim();
  }
  return texts;
}

function problemOf(text: string): string | undefined {
  if (text === '') return 'lacks a word or phrase before or after a comma or =>';
  if (text.length > MAX_CHARACTERS) return `has a phrase of ${text.length} characters; the maximum is ${MAX_CHARACTERS}`;
  const count = foldedWords(text, NEWEST_RULES).length;
  if (count === 0) return `has ${JSON.stringify(text)}, in which nothing can be searched for`;
  return count > MAX_WORDS ? `has a phrase of ${count} words; the maximum is ${MAX_WORDS}` : undefined;
}
