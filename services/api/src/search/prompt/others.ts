import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import { runsIn, SPELLING, spelledBy, spellingKeys } from '@ugc/text/forms/spelling-keys';
import type { TextRules } from '@ugc/text/rules/text-rules';
import { isWithin } from '@ugc/text/ways/edits';
import { tokensOf } from '@ugc/text/words/tokens';
import type { Query } from '../response.ts';
import { anyOf, phraseQuery } from '../text-fields.ts';
import { countCandidates, fill } from './candidates.ts';
import { maxEditsOf, type Gap } from './gaps.ts';
import type { Known } from './known.ts';
import { countBeside, nearOwned } from './rare-words.ts';
import { live, PREFIX_LENGTH, type Answers, type Question } from './questions.ts';
import type { Stage } from './stages.ts';

// The list of similar words is that of the index: one account can fill it, and words of deleted items stay in it until
// their segment is merged. If a word that is not listed can have more accounts than the best one that is, items of
// several accounts are read: each account has one place among them.

/** So many accounts are asked. Their texts are read by the event loop, each description up to so many characters. */
const MAX_ACCOUNTS = 12;
const MAX_READ_CHARACTERS = 1_000;
const MAX_DOUBTFUL = 2;
const TEXTS = ['name', 'description', 'tags'] as const;
type Texts = Pick<ContentDocument, (typeof TEXTS)[number]>;

type Doubt = { text: string; unlisted?: number; others?: string[] };

/** @param edits so many tell a word from the typed one @returns the stages that read items of others and count their words */
export function askOthers(edits: 1 | 2): Stage[] {
  return [
    {
      ask: (known) => doubtsIn(known).map((doubt) => readItems(doubt, editsIn(doubt, edits))),
      learn: (known, answers) => {
        const { prompt, gaps, owned } = known;
        const doubts = doubtsIn(known);
        const othersOf = (doubt: Doubt): string[] => wordsOfOthers(doubt, answers, { edits: editsIn(doubt, edits), rules: prompt.rules });
        const read = <T extends Doubt>(doubt: T): T =>
          doubts.includes(doubt) ? { ...doubt, unlisted: 0, others: othersOf(doubt) } : doubt;
        return { gaps: gaps.map(read), owned: owned.map(read) };
      },
    },
    {
      ask: (known) => [
        ...known.gaps.filter(hasOthers).flatMap((gap) => countCandidates(ofOthers(gap), known, phraseQuery)),
        ...known.owned.flatMap(countBeside),
      ],
      learn: ({ gaps, near, owned }, answers) => {
        const found = owned.flatMap((word) => nearOwned(word, answers));
        return {
          gaps: gaps.map((gap) => (hasOthers(gap) ? filledByOthers(gap, answers) : gap)),
          near: [...near, ...found],
          owned: owned.filter(({ text }) => !found.some(({ from }) => from.includes(text))),
        };
      },
    },
  ];
}

function filledByOthers(gap: Gap, answers: Answers): Gap {
  const [filled] = fill([ofOthers(gap)], answers);
  return { ...(filled?.filled ? filled : gap), others: [] };
}

function editsIn({ text }: Doubt, edits: number): number {
  return Math.min(edits, maxEditsOf(text));
}

function doubtsIn({ gaps, owned }: Known): Doubt[] {
  const known = gaps.filter(({ kind, unlisted = 0 }) => unlisted > 0 && (kind === 'word' || kind === 'run'));
  return [...known, ...owned].slice(0, MAX_DOUBTFUL);
}

function hasOthers({ others = [] }: Doubt): boolean {
  return others.length > 0;
}

/** What is listed competes with what is read. */
function ofOthers({ filled, near = [], others = [], ...gap }: Gap): Gap {
  const found = [...(filled ? [filled] : []), ...near].map(({ to }) => to);
  return { ...gap, candidates: [...new Set([...found, ...others])], foreign: [] };
}

function readItems({ text }: Doubt, edits: number): Question {
  const keys = spellingKeys(text);
  const resembles = (field: string, value: string, prefix: number): Query => ({
    // This rewriting is of all similar words. By default it would be of the first ones in the order of the dictionary.
    fuzzy: { [field]: { value, fuzziness: edits, prefix_length: prefix, rewrite: 'constant_score' } },
  });
  const query = anyOf([
    ...(keys.length > 0 ? [] : [resembles('words', text, PREFIX_LENGTH)]),
    ...keys.map((key) => resembles('forms', key, SPELLING.length + PREFIX_LENGTH)),
  ]);
  const search = { query: live(query), collapse: { field: 'creatorId' }, size: MAX_ACCOUNTS, sort: ['_doc'], _source: [...TEXTS] };
  return { key: `others ${text}`, search: { ...search, track_total_hits: false } };
}

/** @returns the similar words in the items, those of most accounts first */
function wordsOfOthers({ text }: Doubt, answers: Answers, { edits, rules }: { edits: number; rules: TextRules }): string[] {
  const hits = answers.get(`others ${text}`)?.hits.hits ?? [];
  const typed = spelledAs(text);
  const resembles = (word: string): boolean => {
    const spelled = spelledAs(word);
    return spelled !== typed && isWithin(edits, spelled, typed);
  };
  const uses = hits.flatMap(({ _source }) => [...wordsIn(_source as Texts, rules)].filter(resembles));
  const accounts = Map.groupBy(uses, (word) => word);
  const words = [...accounts].toSorted(([, one], [, other]) => other.length - one.length).map(([word]) => word);
  return words.slice(0, MAX_WORDS).map((word) => (spellingKeys(word).length > 0 ? spelledBy(spelledAs(word)) : word));
}

const MAX_WORDS = 30;

function spelledAs(word: string): string {
  return spellingKeys(word)[0] ?? word;
}

function wordsIn({ name, description, tags }: Texts, { fold, separate }: TextRules): Set<string> {
  const texts = [name, description.slice(0, MAX_READ_CHARACTERS), ...tags];
  const words = texts.flatMap((text) => tokensOf(separate(fold(text))).map((token) => token.text));
  return new Set([...words, ...texts.flatMap((text) => runsIn(text, fold))]);
}
