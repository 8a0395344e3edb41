import { near, type Alternative } from '@ugc/text/prompt/alternatives';
import type { Prompt } from '@ugc/text/prompt/parse-prompt';
import { totalOf, type Query } from '../response.ts';
import { anyOf, beginningQuery, phraseQuery, textQuery } from '../text-fields.ts';
import { isSameWord, MIN_NEAR_LENGTH } from './candidates.ts';
import { isRepairable, lengthOf, MIN_CORRECTED_LENGTH } from './gaps.ts';
import { isMeant, isWord, type Known, type OwnedWord, type WordFacts } from './known.ts';
import { byPeople, ownerIn, ownerOf, OWNERS, PEOPLE, peopleIn } from './people.ts';
import { count, countsIn, eachBy, exists, wordQueries, type Answers, type Question } from './questions.ts';

/** Of a more frequent word, a similar one is no other spelling. */
const RARE_IN_ITEMS = 5;
/** A word that only one account uses is rare, however often it repeats it. More items are not looked at. */
export const RARE_OF_ONE = 20;

/** Whether an item contains the word, whether it is rare, and with `correct`, what tells whether it may be misspelt. */
export function lookUpWord(word: string, correct: boolean): Question {
  const { key, search } = exists(`word ${word}`, anyOf(wordQueries(word)));
  if (!isCounted(word)) return { key, search };
  const aggregations = { ...OWNERS, typed: { filter: phraseQuery(word) } };
  return { key, search: { ...search, terminate_after: RARE_OF_ONE + 1, ...(correct && { aggregations }) } };
}

function isCounted(word: string): boolean {
  return isRepairable(word) && lengthOf(word) >= MIN_CORRECTED_LENGTH;
}

/** @returns whether few items contain a word that was looked up, in any form; false if they were not counted */
export function isInFew(answers: Answers, word: string): boolean {
  const answer = answers.get(`word ${word}`);
  return answer !== undefined && isCounted(word) && totalOf(answer.hits) <= RARE_OF_ONE;
}

/** @returns whether a similar word that is in so many items may be meant: a more frequent one, or beside a word of one account */
export function spellingsBeside(answers: Answers, word: string): (other: string, items: number) => boolean {
  const answer = answers.get(`word ${word}`);
  const { typed, ...owners } = (answer?.aggregations ?? {}) as { typed?: { doc_count: number } };
  if (!answer || !typed) return () => true;
  const isOwned = ownerOf(owners) !== undefined;
  // Of a word that is in more items in another form, it is not known yet how many have it as it is typed.
  const isRare = isOwned || typed.doc_count <= RARE_IN_ITEMS || totalOf(answer.hits) > RARE_OF_ONE;
  return (other, items) => isRare && (items > typed.doc_count || (isOwned && items >= SEVERAL && !isSameWord(word, other)));
}

/** A word that few items contain, the query for it, and more frequent spellings. */
type RareWord = { word: string; query: Query; spellings: string[]; unlisted: number };

/** @returns those of the prompt: words that are contained as they are, or only in another form or as a beginning */
function rareWords({ prompt, synonyms, facts, missing }: Known): RareWord[] {
  // Without descriptions, these are eight words at most.
  if (prompt.isDescriptive) return [];
  // A word of four letters has a spelling besides only together with another word.
  const minLength = prompt.words.length > 1 ? MIN_CORRECTED_LENGTH : MIN_NEAR_LENGTH;
  const isRare = (word: string): boolean =>
    isRepairable(word) && lengthOf(word) >= minLength && !missing.includes(word) && !isMeant(word, synonyms);
  const rare = [...facts].filter(([word, { occurs }]) => occurs !== undefined && isRare(word));
  const spelled = rare.map(([word, known]): RareWord => {
    const isBegun = (one: string): boolean => !known.occurs && word === prompt.unfinished && one.startsWith(word);
    const spellings = known.proposals.filter((one) => !isSameWord(word, one) && !isBegun(one));
    return { word, query: occurrences(word, known, prompt), spellings, unlisted: known.unlisted ?? 0 };
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
    const inAnyForm: [string, Query][] = [[word, anyOf([...wordQueries(word), query])]];
    const more = { together: withOther(word, counted, known), inAnyForm };
    return count(`rare ${word}`, counted, { more, of: PEOPLE });
  });
}

function withOther(word: string, counted: [string, Query][], { prompt }: Known): [string, Query][] {
  const others = prompt.words.filter((one) => isWord(one) && one.text !== word).map(({ text }) => textQuery(text));
  return others.length === 0 ? [] : counted.map(([text, query]) => [text, { bool: { filter: [query, anyOf(others)] } }]);
}

/** A rare word is probably a misspelling if so many times as many items contain a word that differs in one letter. */
const FAR_MORE_FREQUENT = 8;
/** So many accounts use another spelling than the only account with a word: it hides the word of all others from nobody. */
const SEVERAL = 3;

/** @returns the spellings that are searched for besides rare words, always and when fewer words are required */
export function nearIn(known: Known, answers: Answers): Pick<Known, 'near' | 'nearIfRelaxed' | 'owned'> {
  const found = rareWords(known).map(({ word, spellings, unlisted }) => {
    const key = `rare ${word}`;
    const frequent = spellings.filter((spelling) => isFarMoreFrequent(word, spelling, answers));
    const always = word.length < MIN_NEAR_LENGTH ? [] : nearest(word, byPeople(frequent, answers, key, ['items']));
    const together = byPeople(spellings, answers, key, ['together']);
    const isRelaxable = countsIn(answers, key, 'together')(word) === 0 && always.length === 0;
    const isShared = always.some(({ to }) => peopleIn(answers, key)(to) >= SEVERAL);
    const isOwned = !isShared && unlisted >= SEVERAL && ownerIn(answers, key, 'inAnyForm')(word) !== undefined;
    const owned = isOwned && word.length >= MIN_NEAR_LENGTH ? [{ text: word, unlisted }] : [];
    return { near: always, nearIfRelaxed: isRelaxable ? nearest(word, together) : [], owned };
  });
  return {
    near: found.flatMap(({ near }) => near),
    nearIfRelaxed: found.flatMap(({ nearIfRelaxed }) => nearIfRelaxed),
    owned: found.flatMap(({ owned }) => owned),
  };
}

/** Counts the similar words of several accounts beside those of one. */
export function countBeside({ text, others = [] }: OwnedWord): Question[] {
  return count(`beside ${text}`, eachBy(phraseQuery, others), { of: PEOPLE });
}

/** @returns the similar word of most accounts, if they are several */
export function nearOwned({ text, others = [] }: OwnedWord, answers: Answers): Alternative[] {
  const key = `beside ${text}`;
  const [words, people] = [others.filter((other) => !isSameWord(text, other)), peopleIn(answers, key)];
  return nearest(text, byPeople(words, answers, key, ['items']).filter((other) => people(other) >= SEVERAL)); // prettier-ignore
}

function isFarMoreFrequent(word: string, spelling: string, answers: Answers): boolean {
  const key = `rare ${word}`;
  const [items, owner] = [countsIn(answers, key), ownerIn(answers, key)];
  const only = ownerIn(answers, key, 'inAnyForm')(word);
  if (only !== undefined && peopleIn(answers, key)(spelling) >= SEVERAL) return true;
  // Of one account, whatever it repeats, a spelling counts beside its own words alone.
  const counts = owner(spelling) === undefined || owner(spelling) === only;
  return counts && items(word) <= RARE_IN_ITEMS && items(spelling) >= FAR_MORE_FREQUENT * Math.max(items(word), 1);
}

function nearest(word: string, [best]: string[]): Alternative[] {
  return best === undefined ? [] : [near(word, best)];
}
