import type { JudgedCollection } from '../../test/relevance/judged-collection.ts';
import { knownItems, VARIANTS } from '../../test/relevance/known-items.ts';
import { mean, ndcg, recall, reciprocalRank } from '../../test/relevance/measures.ts';
import { percentile } from './percentile.ts';
import type { SearchTimed, TimedSearch } from './timed-searches.ts';

/** A row of the table: prompts that are sent with the same parameters, and the figures of their results. */
export type Row = {
  what: string;
  prompts: string[];
  parameters: Record<string, string>;
  judge(rankings: string[][]): Record<string, number>;
};

const KNOWN_ITEMS = 300;
/** For stable times, judged prompts are sent several times: there are fewer of them than known items. */
const ROUNDS = 2;

const RANKINGS = [{ semantic: 'true' }, { semantic: 'false' }];

/** @returns groups of rows with the same prompts, which are measured in turn */
export function groupsOf(collection: JudgedCollection, isSemantic: boolean): Row[][] {
  if (!isSemantic) {
    const rows = [...judgedRows(collection, {}), ...judgedRows(collection, { match: 'any' }), ...knownItemRows(collection, {})];
    return rows.map((row) => [row]);
  }
  const [byMeaning = [], byWords = []] = RANKINGS.map((one) => [...judgedRows(collection, one), ...knownItemRows(collection, one)]);
  return byMeaning.map((row, n) => [row, ...byWords.slice(n, n + 1)]);
}

function judgedRows({ prompts, misspelt }: JudgedCollection, parameters: Record<string, string>): Row[] {
  const kinds = Object.entries({ clean: prompts, misspelt }).filter(([, judged]) => judged.length > 0);
  return kinds.map(([kind, judged]) => ({
    what: kind + describe(parameters),
    prompts: Array.from({ length: ROUNDS }, () => judged.map(({ text }) => text)).flat(),
    parameters,
    judge: (rankings) => ({
      'ndcg@10': mean(judged.map(({ grades }, n) => ndcg(rankings[n] ?? [], grades))),
      'recall@20': mean(judged.map(({ grades }, n) => recall(rankings[n] ?? [], grades))),
    }),
  }));
}

function describe(parameters: Record<string, string>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `, ${name}=${value}`)
    .join('');
}

function knownItemRows({ documents }: JudgedCollection, parameters: Record<string, string>): Row[] {
  const items = knownItems(documents, KNOWN_ITEMS);
  return VARIANTS.map((variant) => ({
    what: `known items, ${variant}${describe(parameters)}`,
    prompts: items.map((item) => item[variant]),
    parameters,
    judge: (rankings) => ({ 'mrr@10': mean(items.map(({ id }, n) => reciprocalRank(rankings[n] ?? [], id))) }),
  }));
}

/** @param onSearch is called after each search */
export async function measureGroup(rows: Row[], search: SearchTimed, onSearch: () => void): Promise<object[]> {
  const measured = rows.map((row) => ({ row, searches: [] as TimedSearch[] }));
  for (const at of rows[0]?.prompts.keys() ?? []) {
    // The second of two finds the index in the caches of the processor.
    for (const { row, searches } of at % 2 === 0 ? measured : measured.toReversed()) {
      searches.push(await search(row.prompts[at] ?? '', row.parameters));
      onSearch();
    }
  }
  return measured.map(({ row, searches }) => figuresOf(row, searches));
}

function figuresOf({ what, prompts, judge }: Row, searches: TimedSearch[]): object {
  const figures = judge(searches.map(({ ranked }) => ranked));
  const byMeaning = searches.filter(({ isByMeaning }) => isByMeaning).length / searches.length;
  return { what, ...rounded(figures, 4), ...times(searches), 'by meaning': Number(byMeaning.toFixed(3)), prompts: prompts.length };
}

function times(searches: TimedSearch[]): Record<string, number> {
  const ms = searches.map((search) => search.ms);
  const plainMs = searches.map((search) => search.plainMs);
  const [p50, p95, plain] = [percentile(ms, 0.5), percentile(ms, 0.95), percentile(plainMs, 0.5)];
  return { ...rounded({ 'p50 ms': p50, 'p95 ms': p95, 'plain p50 ms': plain }, 1), ...rounded({ 'p50 : plain p50': p50 / plain }, 2) };
}

function rounded(figures: Record<string, number>, digits: number): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, Number(figure.toFixed(digits))]));
}
