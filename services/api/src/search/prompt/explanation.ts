import type { SearchedText } from '@ugc/text/marks/mark-finder';
import { z } from 'zod';
import { LONG_HEADER_MAX_BYTES } from '../response.ts';
import {
  correctionOf,
  isBeginning,
  isCorrection,
  isReplaced,
  withReplaced,
  type Alternative,
  type Kind,
  type Term,
} from '@ugc/text/prompt/alternatives';
import type { Interpretation } from './interpret-prompt.ts';
import type { Phrase } from '@ugc/text/prompt/parse-prompt';
import type { Word } from '@ugc/text/words/word';

const Change = z.object({ from: z.string(), to: z.string() });

/** `semantic`: by words and by meaning. */
const Ranking = z.enum(['semantic', 'lexical']);

/** How a prompt was understood. Texts are in the folded form in which they are searched. */
export const Explanation = z
  .object({
    words: z.array(z.string()).describe('The words that were searched for, after corrections.'),
    match: z
      .string()
      .describe(
        'How many words are required: `any`, `most`, `all` or `closest`; later releases may have more. It is that of the request, but `most` where `closest` requires no more, or finds nothing with the filters.',
      ),
    required: z.int().min(0).describe('The number of these words that an item must contain.'),
    relaxed: z.boolean().describe('Whether fewer words are required than usual, because no item contains as many.'),
    phrases: z.array(z.string()).describe('The quoted phrases.'),
    excluded: z.array(z.string()).describe('The excluded words and phrases.'),
    dropped: z.array(z.string()).describe('Words that were not searched for, such as "the".'),
    corrected: z.array(Change).describe('Words that no item contains, and the similar words that were searched for.'),
    split: z.array(Change).describe('Words that no item contains, and the two words that were searched for.'),
    joined: z.array(Change).describe('Adjacent words that were also searched for as one word.'),
    variants: z
      .array(Change)
      .describe('What was searched for too: another way in which items write a word, a word that resembles a rare one, and synonyms.'),
    missing: z.array(z.string()).describe('Words that no item contains and for which there was no correction.'),
    unfinished: z.string().nullable().describe('The last word, which also matched as the beginning of a word.'),
    item: z.int().min(1).optional().describe('The id of the item that the prompt names, which is found too if it exists.'),
    ranking: Ranking.optional().describe(
      'How the items of this page were ranked; present only in lists whose first sort key is `relevance` or `best`, descending.',
    ),
  })
  .meta({ id: 'Interpretation' });
export type Explanation = z.infer<typeof Explanation>;

export function explain(interpretation: Interpretation, ranking?: Explanation['ranking']): Explanation {
  const { words, smallWords, match, required, isRelaxed, alternatives, phrases, dropped, missing, item } = interpretation;
  const { excludedWords, excludedPhrases } = interpretation;
  const shown = [...searchedFor(words, alternatives), ...smallWords];
  return {
    words: shown,
    match,
    // What takes the place of several words counts as each of them.
    required: Math.min(required + requiredSmallWords(interpretation).length, shown.length),
    relaxed: isRelaxed,
    phrases: phrases.map(({ text }) => text),
    excluded: [...excludedWords, ...excludedPhrases.map(({ text }) => text)],
    dropped,
    corrected: changesIn(alternatives, 'corrected'),
    split: changesIn(alternatives, 'split'),
    joined: changesIn(alternatives, 'joined'),
    variants: changesIn(alternatives, 'variants'),
    missing,
    unfinished: unfinishedIn(interpretation),
    ...(item !== undefined && { item }),
    ...(ranking && { ranking }),
  };
}

/** The last word, as it is corrected, if the query has a beginning for it: none for one letter. */
function unfinishedIn({ alternatives, unfinished }: Interpretation): string | null {
  const begun = alternatives.filter(({ from, terms }) => from.at(-1) === unfinished && terms.some(({ by }) => by === 'beginning'));
  const correction = begun.find((one) => isCorrection(one) && isBeginning(one));
  return begun.length === 0 ? null : (correction?.to ?? unfinished ?? null);
}

/** The small words for which the query asks, as for other words. */
function requiredSmallWords({ match, smallWords }: Interpretation): string[] {
  return match === 'all' ? smallWords : [];
}

/** The words, their corrections, or what the operator replaces them with. */
function searchedFor(words: Word[], alternatives: Alternative[]): string[] {
  const inPlaceOf = (word: string): Alternative[] =>
    isReplaced(word, alternatives) ? alternatives.filter(({ from }) => from.includes(word)) : correctionOf(word, alternatives);
  return withReplaced(
    words.map(({ text }) => text),
    inPlaceOf,
  );
}

type List = 'corrected' | 'split' | 'joined' | 'variants';

/** The list that names a kind, if one does, in the order of the list. */
const NAMED_IN: Record<Kind, List | undefined> = {
  typed: undefined,
  spelling: 'corrected',
  split: 'split',
  joined: 'joined',
  way: 'variants',
  near: 'variants',
  synonym: 'variants',
  form: undefined,
};
const KINDS = Object.keys(NAMED_IN) as Kind[];

function changesIn(alternatives: Alternative[], list: List): z.infer<typeof Change>[] {
  return changes(alternatives, ...KINDS.filter((kind) => NAMED_IN[kind] === list));
}

function changes(alternatives: Alternative[], ...kinds: Kind[]): z.infer<typeof Change>[] {
  return kinds.flatMap((kind) => alternatives.filter((one) => one.kind === kind).map(({ from, to }) => ({ from: from.join(' '), to })));
}

/**
 * All alternatives, the small words that are required, and the quoted phrases. Adjacent pairs of words only raise the rank of
 * items that match anyway.
 * @param interpretation undefined for a blank prompt, which marks nothing
 */
export function searchedText(interpretation: Interpretation | undefined): SearchedText {
  if (!interpretation) return { mappingVersion: 0, terms: [] };
  const { alternatives, phrases, rules } = interpretation;
  // Every "c" would be marked for "c++".
  const isSymbol = ({ text, literals }: Phrase): boolean => literals.length > 0 && !text.includes(' ');
  const [symbols, several] = [phrases.filter(isSymbol), phrases.filter((phrase) => !isSymbol(phrase))];
  const quoted = several.filter(({ literals }) => literals.length === 0);
  const small = requiredSmallWords(interpretation);
  const terms = [
    ...alternatives.flatMap((one) => one.terms),
    ...small.map((text): Term => ({ by: 'stem', text })),
    ...symbols.flatMap(({ literals }) => literals.map((text): Term => ({ by: 'literal', text }))),
    ...quoted.map(({ text }): Term => ({ by: 'sequence', text })),
  ];
  const withSymbols = several.filter(({ literals }) => literals.length > 0);
  return { mappingVersion: rules.mappingVersion, terms, ...(withSymbols.length > 0 && { withSymbols }) };
}

/**
 * The value of the header Search-Correction: the corrected, split and joined words, and what is
 * searched for besides rare ones, percent-encoded like a query string
 * (`lighthuose=lighthouse&dicetower=dice%20tower`). Changes beyond 1 KB are omitted.
 * @returns undefined when the prompt was searched for as it is written
 */
export function correctionHeader(interpretation: Interpretation): string | undefined {
  const pairs = changes(interpretation.alternatives, 'spelling', 'split', 'joined', 'near').map(
    ({ from, to }) => `${encodeURIComponent(from)}=${encodeURIComponent(to)}`,
  );
  let value = '';
  for (const pair of pairs) {
    const longer = value === '' ? pair : `${value}&${pair}`;
    if (longer.length > LONG_HEADER_MAX_BYTES) break;
    value = longer;
  }
  return value === '' ? undefined : value;
}
