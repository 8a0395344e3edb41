import { STOP_WORDS } from '@ugc/shared/contracts/content-index';

/** A word in lower case, and its number of occurrences in the prompt: repeated words weigh more. */
export type PromptWord = { text: string; count: number };

export type Prompt = {
  words: PromptWord[];
  phrases: string[];
  excludedWords: string[];
  excludedPhrases: string[];
  /** The last word of the prompt, which may be incomplete and therefore also matches as a prefix. */
  prefix: string | undefined;
  /** A long prompt is a description: one matching word is enough, and the words of its phrases count as words. */
  isDescriptive: boolean;
  /** The prompt consists of stop words only, so they are searched literally. */
  stopWordsOnly: boolean;
};

const PART = /(?<minus>-?)"(?<phrase>[^"]+)"|(?<chunk>\S+)/gu;
// Characters of which the standard tokenizer makes terms, unlike "½" and "②". Other text never matches a document.
const SEARCHABLE = /[\p{L}\p{Nd}\p{Nl}\p{Extended_Pictographic}]/u;
const OUTER_PUNCTUATION = /^[\p{P}\p{S}]+(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])[\p{P}\p{S}]+$/gu;

/** Words outside of phrases; a prompt with more of them is descriptive. */
const MAX_KEYWORDS = 8;

/**
 * Elasticsearch limits the clauses of a query: to 1,024 or more, by heap and threads. A term takes up to five clauses
 * (four fields and a phrase), a stop word one; the rest is for fuzziness.
 */
const MAX_TERM_CLAUSES = 500;
const CLAUSES_PER_TERM = 5;
/** The standard tokenizer splits longer terms. */
const MAX_TERM_LENGTH = 255;
const TERM =
  /[\p{Ideographic}\p{Script=Hiragana}\p{Script=Katakana}\p{Extended_Pictographic}]|[[\p{L}\p{M}\p{N}]--[\p{Ideographic}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv;

type Part = { kind: 'word' | 'phrase' | 'excludedWord' | 'excludedPhrase'; text: string };

export function parsePrompt(prompt: string): Prompt {
  const parts = [...truncate(prompt).matchAll(PART)].map(({ groups = {} }) => toPart(groups)).filter(({ text }) => SEARCHABLE.test(text));
  const textsOf = (kind: Part['kind']): string[] => parts.filter((part) => part.kind === kind).map(({ text }) => text);
  const isDescriptive = textsOf('word').length > MAX_KEYWORDS;
  const phrases = textsOf('phrase');
  const words = [...textsOf('word'), ...(isDescriptive ? phrases.flatMap((phrase) => phrase.split(/\s+/)) : [])].map(normalize);
  const significant = words.filter((word) => !STOP_WORDS.includes(word));
  const stopWordsOnly = words.length > 0 && significant.length === 0 && phrases.length === 0;
  return {
    words: countOccurrences(stopWordsOnly ? words : significant),
    phrases,
    excludedWords: textsOf('excludedWord'),
    excludedPhrases: textsOf('excludedPhrase'),
    prefix: prefixOf(parts, significant),
    isDescriptive,
    stopWordsOnly,
  };
}

function truncate(prompt: string): string {
  let clauses = 0;
  for (const { 0: term, index } of prompt.matchAll(TERM)) {
    clauses += STOP_WORDS.includes(term.toLowerCase()) ? 1 : CLAUSES_PER_TERM * Math.ceil(term.length / MAX_TERM_LENGTH);
    if (clauses > MAX_TERM_CLAUSES) return closePhrase(prompt.slice(0, index));
  }
  return prompt;
}

function closePhrase(prompt: string): string {
  return prompt.split('"').length % 2 === 0 ? `${prompt}"` : prompt;
}

function normalize(text: string): string {
  return text.toLowerCase().replace(OUTER_PUNCTUATION, '');
}

function prefixOf(parts: Part[], significant: string[]): string | undefined {
  const last = parts.at(-1);
  return last?.kind === 'word' ? significant.find((word) => word === normalize(last.text)) : undefined;
}

function toPart({ minus, phrase, chunk = '' }: Record<string, string | undefined>): Part {
  if (phrase !== undefined) return { kind: minus ? 'excludedPhrase' : 'phrase', text: phrase };
  return chunk.startsWith('-') ? { kind: 'excludedWord', text: chunk.slice(1) } : { kind: 'word', text: chunk };
}

function countOccurrences(words: string[]): PromptWord[] {
  return [...Map.groupBy(words, (word) => word)].map(([text, occurrences]) => ({ text, count: occurrences.length }));
}
