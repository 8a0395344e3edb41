import { accentKey, wordsWithAccent } from '../forms/accents.ts';
import { ENGLISH, listed, STOP_WORDS } from '../languages/languages.ts';
import type { TextRules } from '../rules/text-rules.ts';
import { hasToken, tokensOf } from '../words/tokens.ts';
import { isExcluding, quoteExcluded } from './exclusions.ts';
import { namedItem } from './named-item.ts';
import type { Word } from '../words/word.ts';
import { PHRASE } from './quotations.ts';
import { accentedWords, isOther, smallWords, type Accented } from './small-words.ts';
import { splitWords, strictLiterals } from './split-words.ts';

/** `literals`: those whose symbols have a meaning, such as `c++`. */
export type Phrase = { text: string; literals: string[] };

export type Prompt = {
  text: string;
  rules: TextRules;
  words: Word[];
  /** All words that follow each other, between phrases and exclusions. */
  sequences: Word[][];
  /** Words that follow each other directly. */
  pairs: [string, string][];
  /** Words joined by hyphens, such as `plug-in`. */
  compounds: string[];
  dropped: string[];
  /** Words that carry grammar in another language than English. They rank, and only `match=all` asks for them. */
  smallWords: string[];
  /** The id of the item that the prompt names. */
  item: number | undefined;
  /** The keys of its words that are typed with an accent: an item that has the accent too ranks first. */
  accents: string[];
  phrases: Phrase[];
  excludedWords: string[];
  excludedPhrases: Phrase[];
  /** The last word of the prompt, which may be incomplete and therefore also matches as a prefix; also `node.j` and `c+`. */
  unfinished: string | undefined;
  /** The last word if it is dropped. It may be the beginning of another word, as "no" of "northern". */
  droppedEnd: string | undefined;
  /** A long prompt is a description: one matching word is enough, and the words of its phrases count as words. */
  isDescriptive: boolean;
  /** The prompt consists of words that are usually dropped, so they are searched for literally. */
  isLiteral: boolean;
};

/** What is typed for an apostrophe, as long as it stands between letters. */
const APOSTROPHES = /(?<=\p{L})[`′ʹˈ‵](?=\p{L})/gu;
const PART = new RegExp(String.raw`(?<minus>-?)${PHRASE}|(?<chunk>\S+)`, 'gu');
/** A minus excludes at the beginning of a prompt and after a blank: not in `"Bild"-Zeitung`. */
const MAY_EXCLUDE = /^\s?$/;

/** Long prompts are searched without them: the stop list of the Snowball project, a few modal verbs and prepositions. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(listed(ENGLISH.functionWords));

/** A prompt with more words is searched without function words. */
const SHORT_PROMPT_WORDS = 4;
const MAX_KEYWORDS = 8;
/** A quotation of more words only ranks. */
const MAX_QUOTED_WORDS = 20;
/**
 * Elasticsearch limits the clauses of a query: to 1,024 or more, by heap and threads. See docs/decisions/0010 for the
 * clauses of a term; the rest is for corrections, joined and split words.
 */
const MAX_TERM_CLAUSES = 500;
const CLAUSES_PER_TERM = 5;
/** Lucene rejects a prefix of more than 1,000 characters. */
const MAX_UNFINISHED_LENGTH = 50;
const COMPOUND = /(?<!\p{L})\p{L}+(?:-\p{L}+)+/gu;
/** A complete word: the index has it without this ending. */
const POSSESSIVE = /'s$/;

const WITHOUT_APOSTROPHE = ['its', 'thats', 'theres'];

type Part = { kind: 'words' | 'phrase' | 'excludedWord' | 'excludedPhrase'; text: string };
type Selection = { words: Word[]; pairs: [string, string][]; dropped: Word[]; small: Word[] };

/** @param rules of the index that is searched */
export function parsePrompt(text: string, rules: TextRules): Prompt {
  const { fold, separate } = rules;
  const parts = splitIntoParts(truncate(unifyApostrophes(fold(quoteExcluded(text)))));
  const splitIntoWords = (words: string): Word[] => splitWords(words, separate);
  const textsOf = (kind: Part['kind']): string[] => parts.filter((part) => part.kind === kind).map((part) => part.text);
  const phrasesOf = (kind: Part['kind']): Phrase[] => textsOf(kind).map((phrase) => toPhrase(phrase, rules));
  const phrases = phrasesOf('phrase');
  const sequences = textsOf('words').map(splitIntoWords);
  const accented = accentedWords(text);
  const { words, pairs, dropped, small } = select(sequences, accented);
  const isLiteral = words.length === 0 && phrases.length === 0;
  const quoted = phrases.map((phrase) => splitIntoWords(phrase.text));
  const isPasted = quoted.some((phrase) => isLongQuotation(phrase, accented));
  const isDescriptive = words.length > MAX_KEYWORDS || isPasted;
  const phraseWords = isDescriptive ? select(quoted, accented).words : [];
  const searched = isLiteral ? dropped : words;
  const last = lastWord(parts.at(-1), splitIntoWords);
  const isSearched = searched.some((word) => word.text === last);
  return {
    text,
    rules,
    words: countOccurrences([...searched, ...phraseWords]),
    sequences,
    pairs,
    compounds: textsOf('words').flatMap((words) => words.match(COMPOUND) ?? []),
    dropped: isLiteral ? [] : [...new Set(dropped.map((word) => word.text))],
    smallWords: [...new Set(small.map((word) => word.text))],
    item: namedItem(text),
    accents: [...new Set(wordsWithAccent(text).map(accentKey))].slice(0, MAX_KEYWORDS),
    phrases,
    excludedWords: textsOf('excludedWord'),
    excludedPhrases: phrasesOf('excludedPhrase'),
    unfinished: isSearched ? last : undefined,
    droppedEnd: isSearched ? undefined : last,
    isDescriptive,
    isLiteral: isLiteral && dropped.length > 0,
  };
}

function toPhrase(phrase: string, { separate }: TextRules): Phrase {
  return { text: separate(phrase), literals: strictLiterals(phrase).map(({ text }) => text) };
}

/** @returns the words of a text in which quotation marks and minus signs have no meaning */
export function foldedWords(text: string, { fold, separate }: TextRules): Word[] {
  return splitWords(unifyApostrophes(fold(text)), separate);
}

function unifyApostrophes(folded: string): string {
  return folded.replace(APOSTROPHES, "'");
}

function truncate(prompt: string): string {
  let clauses = 0;
  for (const { text, start } of tokensOf(prompt)) {
    clauses += STOP_WORDS.includes(text) ? 1 : CLAUSES_PER_TERM;
    // It ends a quotation that is cut off; elsewhere, a single one means nothing.
    if (clauses > MAX_TERM_CLAUSES) return `${prompt.slice(0, start)}"`;
  }
  return prompt;
}

/** Chunks that follow each other directly are one part. */
function splitIntoParts(prompt: string): Part[] {
  const parts: Part[] = [];
  for (const { groups = {}, index } of prompt.matchAll(PART)) {
    const part = toPart(groups, MAY_EXCLUDE.test(prompt.charAt(index - 1)));
    const last = parts.at(-1);
    if (part.kind === 'words' && last?.kind === 'words') last.text += ` ${part.text}`;
    else if (hasToken(part.text)) parts.push(part);
  }
  return parts;
}

function toPart({ minus, phrase, chunk = '' }: Record<string, string | undefined>, mayExclude: boolean): Part {
  if (phrase !== undefined) return { kind: minus && mayExclude ? 'excludedPhrase' : 'phrase', text: phrase };
  return isExcluding(chunk) && mayExclude ? { kind: 'excludedWord', text: chunk.slice(1) } : { kind: 'words', text: chunk };
}

/** @param sequences words between phrases and exclusions */
function select(sequences: Word[][], accented: Accented): Selection {
  const all = sequences.flat();
  const isLong = all.length > SHORT_PROMPT_WORDS;
  const isDropped = ({ kind, text }: Word): boolean =>
    kind === 'word' && !isOther(text, accented) && (isStopWord(text) || (isLong && FUNCTION_WORDS.has(text)));
  const kept = all.filter((word) => !isDropped(word));
  const grammar = smallWords(
    all.flatMap(({ kind, text }) => (kind === 'word' ? [text] : [])),
    accented,
  );
  const hasContent = kept.some(({ kind, text }) => kind !== 'word' || !grammar.has(text));
  // A prompt of small words only searches for them.
  const isSmall = ({ kind, text }: Word): boolean => hasContent && kind === 'word' && grammar.has(text);
  const pairs = sequences.flatMap((words) => words.slice(1).map((word, position): [Word | undefined, Word] => [words[position], word]));
  const isPair = (pair: (Word | undefined)[]): boolean => pair.every((word) => word?.kind === 'word' && !isDropped(word) && !isSmall(word));
  return {
    words: kept.filter((word) => !isSmall(word)),
    small: kept.filter(isSmall),
    dropped: all.filter(isDropped),
    pairs: distinctPairs(pairs.filter(isPair).map(([first, second]) => [first?.text ?? '', second.text])),
  };
}

/** Items have no term for "it's" either. "its" is written for it. */
function isStopWord(text: string): boolean {
  return STOP_WORDS.includes(text.replace(/'s$/, '')) || WITHOUT_APOSTROPHE.includes(text);
}

function distinctPairs(pairs: [string, string][]): [string, string][] {
  return [...new Map(pairs.map((pair) => [pair.join(' '), pair])).values()];
}

/** A pasted sentence: items need not have it as it is. One of small words only is a phrase. */
function isLongQuotation(words: Word[], accented: Accented): boolean {
  return words.length > MAX_QUOTED_WORDS && select([words], accented).words.length > 0;
}

/** @returns the last word of the prompt, if it may be incomplete */
function lastWord(last: Part | undefined, splitIntoWords: (text: string) => Word[]): string | undefined {
  const word = last?.kind === 'words' ? splitIntoWords(last.text).at(-1) : undefined;
  const mayContinue = word !== undefined && word.kind !== 'run' && !POSSESSIVE.test(word.text);
  return mayContinue && word.text.length <= MAX_UNFINISHED_LENGTH ? word.text : undefined;
}

function countOccurrences(words: Word[]): Word[] {
  return [...Map.groupBy(words, ({ text }) => text).values()].map((same) => ({ text: '', kind: 'word', ...same[0], count: same.length }));
}
