import { near, type Alternative } from '@ugc/text/prompt/alternatives';
import type { Prompt } from '@ugc/text/prompt/parse-prompt';
import type { Query } from '../response.ts';
import { anyOf, beginningQuery, phraseQuery, textQuery } from '../text-fields.ts';
import { isRepairable, isSameWord, lengthOf, MIN_CORRECTED_LENGTH, MIN_NEAR_LENGTH } from './gaps.ts';
import { isMeant, isWord, type Known, type WordFacts } from './known.ts';
import { byFrequency, count, countsIn, eachBy, type Answers, type Question } from './questions.ts';

const MAX_RARE = 16;

/** A word that few items contain, the query for it, and more frequent spellings. */
type RareWord = { word: string; query: Query; spellings: string[] };

/** @returns those of the prompt: words that are contained as they are, or only in another form or as a beginning */
function rareWords({ prompt, correct, synonyms, facts, missing }: Known): RareWord[] {
  if (!correct || prompt.isDescriptive) return [];
  // A word of four letters has a spelling besides only together with another word.
  const minLength = prompt.words.length > 1 ? MIN_CORRECTED_LENGTH : MIN_NEAR_LENGTH;
  const isRare = (word: string): boolean =>
    isRepairable(word) && lengthOf(word) >= minLength && !missing.includes(word) && !isMeant(word, synonyms);
  const rare = [...facts].filter(([word, { occurs }]) => occurs !== undefined && isRare(word)).slice(0, MAX_RARE);
  const spelled = rare.map(([word, known]): RareWord => {
    const isBegun = (one: string): boolean => !known.occurs && word === prompt.unfinished && one.startsWith(word);
    const spellings = known.proposals.filter((one) => !isSameWord(word, one) && !isBegun(one));
    return { word, query: occurrences(word, known, prompt), spellings };
  });
  return spelled.filter(({ spellings }) => spellings.length > 0);
}

function occurrences(word: string, { occurs, ways = [], forms }: WordFacts, { unfinished }: Prompt): Query {
  if (occurs) return phraseQuery(word);
  const beginnings = word === unfinished ? [beginningQuery(word)] : [];
  return anyOf([...ways.map((way) => phraseQuery(way)), ...(forms.length > 0 ? [{ terms: { forms } }] : []), ...beginnings]);
}

/** Counts the items with each of these words and spellings, all of them and those with another word of the prompt. */
export function countRare(known: Known): Question[] {
  return rareWords(known).flatMap(({ word, query, spellings }) => {
    const counted: [string, Query][] = [[word, query], ...eachBy(phraseQuery, spellings)];
    return count(`rare ${word}`, counted, { more: { together: withOther(word, counted, known) } });
  });
}

function withOther(word: string, counted: [string, Query][], { prompt }: Known): [string, Query][] {
  const others = prompt.words.filter((one) => isWord(one) && one.text !== word).map(({ text }) => textQuery(text));
  return others.length === 0 ? [] : counted.map(([text, query]) => [text, { bool: { filter: [query, anyOf(others)] } }]);
}

/** A rare word is probably a misspelling if so many times as many items contain a word that differs in one letter. */
const FAR_MORE_FREQUENT = 8;

/** @returns the spellings that are searched for besides rare words, always and when fewer words are required */
export function nearIn(known: Known, answers: Answers): Pick<Known, 'near' | 'nearIfRelaxed'> {
  const found = rareWords(known).map(({ word, spellings }) => {
    const items = countsIn(answers, `rare ${word}`);
    const together = countsIn(answers, `rare ${word}`, 'together');
    const frequent = spellings.filter((spelling) => items(spelling) >= FAR_MORE_FREQUENT * Math.max(items(word), 1));
    const always = word.length < MIN_NEAR_LENGTH ? [] : nearest(word, byFrequency(frequent, items));
    const ifRelaxed = together(word) > 0 || always.length > 0 ? [] : nearest(word, byFrequency(spellings, together));
    return { always, ifRelaxed };
  });
  return { near: found.flatMap(({ always }) => always), nearIfRelaxed: found.flatMap(({ ifRelaxed }) => ifRelaxed) };
}

function nearest(word: string, [best]: string[]): Alternative[] {
  return best === undefined ? [] : [near(word, best)];
}
