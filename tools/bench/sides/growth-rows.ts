import { FREQUENT } from '../collection/words.ts';
import { get, uncached, type Row } from './in-turn.ts';
import { uploadRow } from './field-rows.ts';
import type { Side } from './side.ts';

const AT_MOST = { read: 1.1, page: 1.5, prompt: 2, remembered: 3, order: 3, uncounted: 6.1, upload: 1.1 };
const SAMPLED_MS = 400;
/** No page of a block is asked for twice, and none is beyond the items that Elasticsearch pages itself. */
const PAGES = 90;
const FACETS = '/api/content/facets';

/** Two words, each in a tenth of the items or so. No two of the first 3,000 prompts are equal. */
function frequentPair(n: number): string {
  const first = n % FREQUENT.length;
  const second = (first + 1 + (Math.floor(n / FREQUENT.length) % (FREQUENT.length - 1))) % FREQUENT.length;
  return `prompt=${FREQUENT[first]}+${FREQUENT[second]}`;
}

const list = (query: string, n: number): string => `/api/content?size=10&page=${n % PAGES}&${query}`;
const withPrompt = (query: string, n: number, page = 0): string => `/api/content?size=10&page=${page}&${query}&${frequentPair(n)}`;

/** The lists, facets and single requests of a collection beside those of 10,000 items. `items`: of the larger one. */
export async function growthRows(items: number, few: number, { cluster }: Side): Promise<Row[]> {
  const row = (path: string, atMost: number, pathOf: (n: number) => string): Row => ({ path, atMost, send: get(pathOf), isUncached: true });
  const order = (sort: string, atMost = AT_MOST.order): Row => row(`\`${sort}\``, atMost, (n) => list(`sort=${sort}`, n));
  const relevance = 'sort=relevance';
  const rows = [
    row('default list', AT_MOST.page, (n) => list('', n)),
    row('two frequent words by relevance, without totals', AT_MOST.prompt, (n) => withPrompt(`${relevance}&totals=false`, n)),
    row('two frequent words by relevance, total not remembered', AT_MOST.uncounted, (n) => withPrompt(relevance, n)),
    {
      ...row('two frequent words by relevance, total remembered', AT_MOST.remembered, (n) => withPrompt(relevance, n, 1)),
      prepare: get((n) => withPrompt(relevance, n)),
    },
    row('two frequent words by `best`, without totals', AT_MOST.prompt, (n) => withPrompt('sort=best&totals=false', n)),
    row('two frequent words by date, without totals', AT_MOST.prompt, (n) => withPrompt('sort=createdAt,desc&totals=false', n)),
    order('name'),
    order('createdAt,asc'),
    order('downloadsCount,desc'),
    order('avgRating,desc'),
    order('trending'),
    order('best'),
    uncached(
      'facets of all items',
      { atMost: items / few },
      get(() => FACETS),
    ),
    {
      path: 'get one',
      atMost: AT_MOST.read,
      send: (side: Side, n: number) => get(() => `/api/content/${1 + ((n * 7_919) % side.items)}`)(side, n),
    },
    { ...uploadRow, atMost: AT_MOST.upload },
  ];
  const sampled = `${FACETS}?counts=sampled`;
  const { status } = await cluster.client.get(sampled);
  const isKnown = status === 200 && (await describesSampling(cluster));
  return isKnown
    ? [
        ...rows,
        uncached(
          'facets of all items, `counts=sampled`',
          { atMost: 1, limitMs: SAMPLED_MS },
          get(() => sampled),
        ),
      ]
    : rows;
}

/** An API without the parameter ignores it. */
async function describesSampling({ client }: Side['cluster']): Promise<boolean> {
  const { body } = await client.get('/openapi.json');
  const parameters = (body.paths?.[FACETS]?.get?.parameters ?? []) as { name?: string }[];
  return parameters.some(({ name }) => name === 'counts');
}
