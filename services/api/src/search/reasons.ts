import { RANKING_REASONS, type RankingReason } from '@ugc/items/changes/ranking-reasons';
import type { Query } from './response.ts';

/** What a clause of a query is named for. `together`: the item has all words; `inName`: its name does, in whatever form. */
type Named = RankingReason | 'together' | 'inName';

/** Gives names to the clauses of a query, so that each hit tells which of them it matches. */
export type Naming = {
  /** @returns the clauses, with the scores that they have without a name */
  name: (named: Named, clauses: Query[]) => Query[];
  /** @returns clauses without a score, which are only there for their names */
  add: (named: Named, clauses: Query[]) => Query[];
};

export const WITHOUT_NAMES: Naming = { name: (_, clauses) => clauses, add: () => [] };

/** Names are unique in a query: of two clauses with the same name, Elasticsearch reports only one. */
export function freshNames(): Naming {
  let names = 0;
  const nameOf = (named: Named): string => `${named}.${(names += 1)}`;
  return {
    name: (named, clauses) => clauses.map((clause) => ({ bool: { must: [clause], _name: nameOf(named) } })),
    add: (named, clauses) => clauses.map((clause) => ({ bool: { filter: [clause], _name: nameOf(named) } })),
  };
}

const REASONS = Object.keys(RANKING_REASONS) as RankingReason[];
/** A clause inside of another one is reported even if the item does not match the other one. */
const ONLY_WITH: Partial<Record<RankingReason, Named>> = {
  formsInName: 'inName',
  smallWordsInName: 'inName',
  someWordsInName: 'together',
  nearWords: 'together',
};

/** @param names of the clauses that an item matches; other names are ignored @returns in the order of the table */
export function reasonsOf(names: string[]): RankingReason[] {
  const named = new Set(names.map((name) => name.split('.')[0]));
  // What is in the name as it is typed is there in another form too.
  if (named.has('inName') && !named.has('wordsInName') && !named.has('name')) named.add('formsInName');
  return REASONS.filter((reason) => named.has(reason) && named.has(ONLY_WITH[reason] ?? reason));
}
