import { STOP_WORDS } from '@ugc/shared/contracts/content-index';

/** A word as written, in lower case, and how often the prompt says it: what is repeated matters more. */
export type PromptWord = { text: string; count: number };

/** A prompt in its parts. Everything that is not a quoted phrase or an exclusion is plain text. */
export type Prompt = {
  words: PromptWord[];
  phrases: string[];
  excluded: string[];
  excludedPhrases: string[];
  /** The prompt's last word, if it may be the beginning of a longer one. */
  unfinished: string | undefined;
  /** The prompt is long enough to describe what is wanted rather than to demand it word by word; phrases count as words too. */
  describes: boolean;
  /** There is nothing but stop words, so they are meant literally. */
  stopWordsOnly: boolean;
};

const PART = /(?<minus>-?)"(?<phrase>[^"]+)"|(?<chunk>\S+)/gu;
// What the standard tokenizer makes a term of (not of "½" or "②"); anything else would be a condition that no document can fulfil.
const SEARCHABLE = /[\p{L}\p{Nd}\p{Nl}\p{Extended_Pictographic}]/u;
const OUTER_PUNCTUATION = /^[\p{P}\p{S}]+(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])[\p{P}\p{S}]+$/gu;

/** In words, quotations not counted. */
const LONGEST_DEMAND = 8;

/**
 * Elasticsearch refuses a query of too many clauses; how many depends on its heap and threads, and is 1,024 at the least. A term takes up to
 * five (four fields, and a phrase), a stop word one, and typing errors need the rest. What is beyond is not looked at.
 */
const MAX_TERM_CLAUSES = 500;
const CLAUSES_PER_TERM = 5;
const LONGEST_TERM = 255;
const TERM =
  /[\p{Ideographic}\p{Script=Hiragana}\p{Script=Katakana}\p{Extended_Pictographic}]|[[\p{L}\p{M}\p{N}]--[\p{Ideographic}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv;

type Part = { kind: 'word' | 'phrase' | 'excluded' | 'excludedPhrase'; text: string };

export function parsePrompt(prompt: string): Prompt {
  const parts = [...cutShort(prompt).matchAll(PART)].map(({ groups = {} }) => toPart(groups)).filter(({ text }) => SEARCHABLE.test(text));
  const texts = (kind: Part['kind']): string[] => parts.filter((part) => part.kind === kind).map(({ text }) => text);
  const describes = texts('word').length > LONGEST_DEMAND;
  const phrases = texts('phrase');
  const words = [...texts('word'), ...(describes ? phrases.flatMap((phrase) => phrase.split(/\s+/)) : [])].map(toWord);
  const meant = words.filter((word) => !STOP_WORDS.includes(word));
  const stopWordsOnly = words.length > 0 && meant.length === 0 && phrases.length === 0;
  return {
    words: counted(stopWordsOnly ? words : meant),
    phrases,
    excluded: texts('excluded'),
    excludedPhrases: texts('excludedPhrase'),
    unfinished: lastWord(parts, meant),
    describes,
    stopWordsOnly,
  };
}

function cutShort(prompt: string): string {
  let clauses = 0;
  for (const { 0: term, index } of prompt.matchAll(TERM)) {
    clauses += STOP_WORDS.includes(term.toLowerCase()) ? 1 : CLAUSES_PER_TERM * Math.ceil(term.length / LONGEST_TERM);
    if (clauses > MAX_TERM_CLAUSES) return withPhraseClosed(prompt.slice(0, index));
  }
  return prompt;
}

function withPhraseClosed(prompt: string): string {
  return prompt.split('"').length % 2 === 0 ? `${prompt}"` : prompt;
}

function toWord(text: string): string {
  return text.toLowerCase().replace(OUTER_PUNCTUATION, '');
}

function lastWord(parts: Part[], meant: string[]): string | undefined {
  const last = parts.at(-1);
  return last?.kind === 'word' ? meant.find((word) => word === toWord(last.text)) : undefined;
}

function toPart({ minus, phrase, chunk = '' }: Record<string, string | undefined>): Part {
  if (phrase !== undefined) return { kind: minus ? 'excludedPhrase' : 'phrase', text: phrase };
  return chunk.startsWith('-') ? { kind: 'excluded', text: chunk.slice(1) } : { kind: 'word', text: chunk };
}

function counted(words: string[]): PromptWord[] {
  return [...Map.groupBy(words, (word) => word)].map(([text, occurrences]) => ({ text, count: occurrences.length }));
}
