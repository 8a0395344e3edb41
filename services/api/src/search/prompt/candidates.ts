import { corrected, near, type Alternative } from '@ugc/text/prompt/alternatives';
import { stemOf } from '@ugc/text/words/terms';
import type { Prompt } from '@ugc/text/prompt/parse-prompt';
import type { Query } from '../response.ts';
import { anyOf, phraseQuery } from '../text-fields.ts';
import type { Gap } from './gaps.ts';
import { byPeople, PEOPLE, peopleIn } from './people.ts';
import { byFrequency, count, countsIn, eachBy, type Answers, type Question } from './questions.ts';

/** `items` decides last, and counts them all. */
const COUNTS = ['adjacent', 'together', 'items'] as const;

/** Counts the items with each candidate: next to a neighbour of the gap, with another word of the prompt, and all. */
export function countCandidates(
  gap: Gap,
  { prompt, gaps }: { prompt: Prompt; gaps: Gap[] },
  toForeign: (text: string) => Query,
): Question[] {
  const { text, from, foreign } = gap;
  const candidates = [...gap.candidates, ...(gap.last ?? [])];
  const { words, pairs } = prompt;
  // The parts of a split word are evidence enough that they are next to each other.
  const whole = candidates.filter((candidate) => !candidate.includes(' '));
  const before = pairs.filter(([, second]) => second === text).map(([first]) => first);
  const after = pairs.filter(([first]) => first === text).map(([, second]) => second);
  const isGap = (word: string): boolean => from.includes(word) || gaps.some((one) => one.kind === 'word' && one.text === word);
  const others = words.filter(({ kind, text: word }) => kind === 'word' && !isGap(word));
  const neighbours = (candidate: string): string[] => [
    ...before.map((word) => `${word} ${candidate}`),
    ...after.map((word) => `${candidate} ${word}`),
  ];
  const adjacent = (candidate: string): Query => anyOf(neighbours(candidate).map((phrase) => phraseQuery(phrase)));
  const anyOther: Query = { match: { words: { query: others.map((word) => word.text).join(' ') } } };
  const together = (candidate: string): Query => ({ bool: { filter: [phraseQuery(candidate), anyOther] } });
  const more = {
    adjacent: before.length + after.length > 0 ? eachBy(adjacent, whole) : [],
    together: others.length > 0 ? eachBy(together, whole) : [],
  };
  return count(`gap ${text}`, [...eachBy(phraseQuery, candidates), ...eachBy(toForeign, foreign)], { more, of: PEOPLE });
}

/** @returns the gaps, filled with the candidate that most accounts use as it is asked for */
export function fill(gaps: Gap[], answers: Answers): Gap[] {
  const filled = gaps.map((gap) => {
    const key = `gap ${gap.text}`;
    const [best, ...others] = byPeople([...gap.candidates, ...gap.foreign], answers, key, COUNTS);
    if (best === undefined) return gap;
    // One account may mean a rare word, as one seller does "guitar strap", and "guitar step" is more frequent.
    const counts = COUNTS.map((name) => countsIn(answers, key, name));
    const [frequent = best] = byFrequency([...gap.candidates, ...gap.foreign], ...counts);
    const isDoubtful = (gap.unlisted ?? 0) >= Math.max(peopleIn(answers, key)(best), 1);
    const unlisted = isDoubtful ? gap.unlisted : 0;
    return { ...gap, filled: corrected(gap.from, best), near: nearOf(gap, { best, frequent, others }), unlisted };
  });
  return withoutReplaced(filled);
}

/** @returns the gap, filled with what is tried if nothing else fills it */
export function fillAtLast(gap: Gap, answers: Answers): Gap {
  const [filled = gap] = fill([{ ...gap, candidates: gap.last ?? [], foreign: [] }], answers);
  return filled;
}

/** The correction is the most probable word. A rarer one, such as the name of a town, may be meant. */
const MAX_NEAR = 2;
/** Shorter words differ in one letter from many others. */
export const MIN_NEAR_LENGTH = 5;

type Ranked = { best: string; frequent: string; others: string[] };

function nearOf({ kind, text, candidates }: Gap, { best, frequent, others }: Ranked): Alternative[] {
  const isOther = (word: string): boolean => candidates.includes(word) && !word.includes(' ') && !isSameWord(best, word);
  const first = [frequent].filter((word) => candidates.includes(word) && !isSameWord(best, word));
  const isLong = kind === 'word' && text.length >= MIN_NEAR_LENGTH && !best.includes(' ');
  const words = new Set([...first, ...(isLong ? others.filter(isOther) : [])]);
  return kind === 'word' ? [...words].slice(0, MAX_NEAR).map((other) => near(text, other)) : [];
}

/** "proces" is no other form of "process", although an "s" makes most plurals. */
export function isSameWord(one: string, other: string): boolean {
  return one === other || stemOf(one) === stemOf(other);
}

/** @returns the gaps without those of words that an earlier gap replaces too */
export function withoutReplaced(gaps: Gap[]): Gap[] {
  return gaps.filter((gap, at) => !gaps.slice(0, at).some(({ filled, from }) => filled && from.some((word) => gap.from.includes(word))));
}
