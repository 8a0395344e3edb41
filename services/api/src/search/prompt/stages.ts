import { promptFormKeys } from '@ugc/text/forms/word-forms';
import type { Query } from '../response.ts';
import { anyOf, beginningQuery, literalQuery, phraseQuery, textQuery } from '../text-fields.ts';
import { correctedBeginning, otherForms, type Alternative } from '@ugc/text/prompt/alternatives';
import type { Join } from '@ugc/text/prompt/joins';
import { countCandidates, fill, fillAtLast, withoutReplaced } from './candidates.ts';
import {
  gapsOf,
  isLongEnough,
  isRepairable,
  maxEditsOf,
  misspellableIn,
  runsOf,
  withMoreCandidates,
  type Gap,
  type Misspellable,
  type Run,
} from './gaps.ts';
import { boundTerms, correctionsIn, promptKeysOf, isAbsent, isWord, type Known, type WordFacts } from './known.ts';
import type { Prompt } from '@ugc/text/prompt/parse-prompt';
import { isLatin, type Word } from '@ugc/text/words/word';
import { askOthers } from './others.ts';
import { byPeople, PEOPLE } from './people.ts';
import { countRare, isInFew, lookUpWord, nearIn, RARE_OF_ONE, spellingsBeside } from './rare-words.ts';
import { lastFor, proposeLast } from './last-resort.ts';
import { splitsOf } from '@ugc/text/ways/parts';
import {
  count,
  countForms,
  countsIn,
  eachBy,
  exists,
  formsIn,
  isThere,
  joinGroups,
  joinQueries,
  propose,
  proposalsIn,
  unlistedIn,
  type Answers,
  type Question,
} from './questions.ts';

/**
 * A step of the interpretation. It asks the index at most once: without a question nothing is sent, and `learn` gets no
 * answer. Both functions are pure.
 */
export type Stage = { ask: (known: Known) => Question[]; learn: (known: Known, answers: Answers) => Partial<Known> };

/** Elasticsearch proposes nothing for a word that more items contain. */
const FOR_RARE = { max_edits: 1, suggest_mode: 'always', max_term_freq: RARE_OF_ONE } as const;
/** Hardly ever reached: an item must not hide others by the form in which it writes a word. */
export const MAX_CHOSEN_TERMS = 50;

/** What do items contain of each word, and are there joined words? */
export const lookUpWords: Stage = {
  ask: (known) => {
    const { prompt, correct, toLookUp, facts, joins } = known;
    const words = toLookUp.filter(isWord).map(({ text }) => text);
    const ways = toLookUp.flatMap(({ text }) => facts.get(text)?.ways ?? []);
    const runs = correct ? runsOf(prompt) : [];
    const literals = misspellableIn(known);
    const proposed = [...words, ...runs.map(({ text }) => text), ...literals.flatMap((literal) => literal.words)];
    return [
      ...words.map((word) => lookUpWord(word, correct)),
      ...words.filter((word) => word === prompt.unfinished).map((word) => exists('beginning', beginningQuery(word))),
      ...joinGroups(joins).flatMap(([key, group]) => (group.length > 0 ? [exists(key, anyOf(group.flatMap(joinQueries)))] : [])),
      ...count('ways', eachBy(phraseQuery, ways)),
      ...countForms(toLookUp.map(({ text }) => [text, facts.get(text)?.forms ?? []])),
      ...(correct ? propose('proposals', proposed, FOR_RARE) : []),
      ...literals.map((literal) => exists(`literal ${literal.text}`, writtenQuery(literal, prompt))),
      ...runs.filter(({ isWhole }) => isWhole).map(({ text, from }) => exists(`run ${text}`, phraseQuery(from.join(' ')))),
    ];
  },
  learn: (known, answers) => {
    const { prompt, correct, synonyms, toLookUp, joins } = known;
    const facts = new Map(known.facts);
    for (const word of toLookUp) facts.set(word.text, factsIn(answers, word, facts.get(word.text)));
    const begins = (word: string): boolean => word === prompt.unfinished && isThere(answers, 'beginning');
    const missing = [...facts.keys()].filter((word) => isAbsent(word, { facts, synonyms }) && !begins(word));
    const proposed = proposalsIn(answers, 'proposals');
    const proposalsOf = (word: string): string[] => facts.get(word)?.proposals ?? proposed(word);
    // Words that items contain, and that follow each other in none, are misspelt only if the whole text is.
    const isUnknown = ({ text, from, isWhole }: Run): boolean =>
      (isWhole ? !isThere(answers, `run ${text}`) : from.some((word) => missing.includes(word))) && proposed(text).length > 0;
    const isUnwritten = ({ text }: Misspellable): boolean => !isThere(answers, `literal ${text}`) && isUnknownWord(facts.get(text));
    const several = { runs: runsOf(prompt).filter(isUnknown), literals: misspellableIn(known).filter(isUnwritten) };
    const unlisted = unlistedIn(answers, 'proposals');
    return {
      facts,
      missing,
      joins: joinGroups(joins).flatMap(([key, group]) => (isThere(answers, key) ? group : [])),
      gaps: correct ? gapsOf(prompt, missing, proposalsOf, { ...several, unlisted }) : [],
    };
  },
};

function isUnknownWord({ ways = [], forms = [] }: Partial<WordFacts> = {}): boolean {
  return ways.length + forms.length === 0;
}

/** How items contain a text with signs, which may be the beginning of another one. */
function writtenQuery({ text, terms }: Misspellable, { unfinished }: Prompt): Query {
  const plain = terms.join(' ');
  const beginnings = text === unfinished ? [beginningQuery(text), beginningQuery(plain)] : [];
  return anyOf([literalQuery(text), phraseQuery(plain), ...beginnings]);
}

function factsIn(answers: Answers, word: Word, possible: WordFacts | undefined): WordFacts {
  const { text } = word;
  const { ways, forms = [] } = possible ?? {};
  const occurs = isWord(word) ? isThere(answers, `word ${text}`) : undefined;
  const frequency = countsIn(answers, 'ways');
  const found = formsIn(answers, text, forms);
  // The two parts of a word that does not occur are not certain: they compete with its corrections. One form has none.
  const uncertain = occurs === false && found.length === 0 && isRepairable(text) ? splitsOf(text) : [];
  const written = ways?.filter((way) => frequency(way) > 0).toSorted((one, other) => frequency(other) - frequency(one));
  return {
    occurs,
    ways: written && boundTerms(written, MAX_CHOSEN_TERMS).filter((way) => !uncertain.includes(way)),
    forms: found,
    ...proposedFor(text, answers),
    ...(isInFew(answers, text) && { isRare: true }),
  };
}

function proposedFor(text: string, answers: Answers): Pick<WordFacts, 'proposals' | 'unlisted'> {
  const mayReplace = spellingsBeside(answers, text);
  const unlisted = unlistedIn(answers, 'proposals')(text);
  return { proposals: proposalsIn(answers, 'proposals', mayReplace)(text), ...(unlisted > 0 && { unlisted }) };
}

/** Which candidates fill the gaps, which spellings are far more frequent than rare words, which joined words are there? */
export const fillGaps: Stage = {
  ask: (known) => [
    ...(known.joins.length > 1 ? known.joins.map((join) => exists(nameOf(join), anyOf(joinQueries(join)))) : []),
    ...known.gaps.flatMap((gap) => countCandidates(gap, known, phraseQuery)),
    ...countRare(known),
  ],
  learn: (known, answers) => ({
    joins: known.joins.length > 1 ? known.joins.filter((join) => isThere(answers, nameOf(join))) : known.joins,
    gaps: fill(known.gaps, answers).filter(({ kind, filled }) => (kind !== 'run' && kind !== 'literal') || filled),
    ...nearIn(known, answers),
  }),
};

function nameOf({ from, to }: Join): string {
  return `join ${from.join(' ')}=${to}`;
}

const LISTS = ['long', 'short', 'first letter'];

/** Which other words resemble those for which no candidate is there? */
export const proposeMore: Stage = {
  ask: ({ gaps }) => {
    const words = farGaps(gaps).map(({ text }) => text);
    const isLong = (word: string): boolean => maxEditsOf(word) === 2;
    return [
      ...propose('long', words.filter(isLong), { max_edits: 2, suggest_mode: 'always' }), // prettier-ignore
      // The index may contain them, but no item that is searched.
      ...propose('short', words.filter((word) => !isLong(word)), { max_edits: 1, suggest_mode: 'always' }), // prettier-ignore
      ...propose('first letter', words, { max_edits: 1, suggest_mode: 'always', prefix_length: 0 }),
      ...proposeLast(words),
    ];
  },
  learn: ({ prompt, gaps }, answers) => {
    const far = farGaps(gaps);
    const proposed = (word: string): string[] => [
      ...proposalsIn(answers, 'long')(word),
      ...proposalsIn(answers, 'short')(word),
      ...proposalsIn(answers, 'first letter')(word).filter((proposal) => hasOtherFirstLetter(word, proposal)),
    ];
    const unlisted = (word: string): number => Math.max(...LISTS.map((list) => unlistedIn(answers, list)(word)));
    const widened = (gap: Gap): Gap => {
      const { text } = gap;
      const proposals = far.includes(gap) ? [...new Set(proposed(text))] : undefined;
      return { ...withMoreCandidates(gap, prompt, proposals), unlisted: unlisted(text), last: proposals ? lastFor(text, answers) : [] };
    };
    return { gaps: gaps.map((gap) => (gap.filled ? gap : widened(gap))) };
  },
};

/** Two edits, parts at stop words, three parts and case endings are some hundred phrases for each word. */
const MAX_FAR = 4;

/** @returns the first words that nothing fills, for which more candidates are asked; shorter ones resemble too many words */
function farGaps(gaps: Gap[]): Gap[] {
  return unfilledIn(gaps).filter(isLongEnough).slice(0, MAX_FAR);
}

function unfilledIn(gaps: Gap[]): Gap[] {
  return gaps.filter(({ filled }) => !filled);
}

/** Whether the first letter of the word is missing, or exchanged with the second one. Other edits make another word. */
function hasOtherFirstLetter(word: string, proposal: string): boolean {
  const [first = '', second = '', ...rest] = word;
  return proposal.endsWith(word) || proposal === [second, first, ...rest].join('');
}

const MAX_BEGINNINGS = 4;

/** Which candidates fill the other gaps, or else which beginnings of words? Both are asked at once, to save a request. */
export const fillOtherGaps: Stage = {
  ask: (known) => {
    const unfilled = unfilledIn(known.gaps);
    const words = unfilled.filter(({ kind }) => kind === 'word');
    // The last four of those that are left: candidates fill none but the first ones.
    const tooEarly = words.length < MAX_FAR + MAX_BEGINNINGS ? [] : words.slice(0, -MAX_BEGINNINGS);
    return unfilled.flatMap((gap) => [
      ...countCandidates(gap, known, anyFormQuery),
      ...(tooEarly.includes(gap) ? [] : count(`beginning ${gap.text}`, eachBy(beginningQuery, gap.beginnings.flat()), { of: PEOPLE })),
    ]);
  },
  learn: ({ gaps }, answers) => {
    const filled = fill(gaps, answers);
    const tooEarly = unfilledIn(filled).filter(({ kind }) => kind === 'word').slice(0, -MAX_BEGINNINGS); // prettier-ignore
    const begun = filled.map((gap) => {
      if (gap.filled || tooEarly.includes(gap)) return gap;
      const [beginning] = gap.beginnings.flatMap((group) => byPeople(group, answers, `beginning ${gap.text}`, ['items']));
      return beginning === undefined ? fillAtLast(gap, answers) : { ...gap, filled: correctedBeginning(gap.from, beginning) };
    });
    return { gaps: withoutReplaced(begun) };
  },
};

/** Which other forms of what is searched for in another script than the typed one do items contain? */
export const lookUpForeignForms: Stage = {
  ask: (known) => countForms(foreignIn(known).map(({ to }) => [to, promptKeysOf(to)])),
  learn: (known, answers) => ({
    foreignForms: foreignIn(known).flatMap(({ from, to }) => {
      const forms = formsIn(answers, to, promptKeysOf(to));
      return forms.length > 0 ? [otherForms(from, forms)] : [];
    }),
  }),
};

/** English words are stemmed. The keys of a word in Latin letters would be those of too many languages. */
function anyFormQuery(text: string): Query {
  return isLatin(text) ? textQuery(text) : anyOf([phraseQuery(text), { terms: { forms: promptFormKeys(text) } }]);
}

function foreignIn(known: Known): Alternative[] {
  return correctionsIn(known).filter(({ from, to }) => isLatin(from.join('')) !== isLatin(to));
}

/** The order matters: the questions of a stage depend on the answers to the one before it. */
export const STAGES: Stage[] = [lookUpWords, fillGaps, ...askOthers(1), proposeMore, fillOtherGaps, ...askOthers(2), lookUpForeignForms];
