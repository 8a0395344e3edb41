import { VOCABULARY } from '../fill-index.ts';
import { authorizationOf, get, type Row, type Send } from './in-turn.ts';
import { itemOf } from './side-items.ts';

const LIST_AT_MOST = 1.1;
const FACETS_AT_MOST = 1.3;
const UPLOAD_AT_MOST = 1.1;

const frequent = (n: number): string => VOCABULARY[(n * 7) % 60] ?? '';
const COUNTED = '&facetFields=licence&facetFields=game&facetFields=build.game';

/** The same lists, facets and uploads; on the side with declared fields, uploads have values and facets count them. */
export function fieldRows(items: number): Row[] {
  const list = (path: string, query: (n: number) => string): Row => ({
    path: `list, ${path}`,
    atMost: LIST_AT_MOST,
    send: get((n) => `/api/content?size=10&${query(n)}`),
  });
  const facets = (path: string, query: (n: number) => string, counted = ''): Row => ({
    path: `facets, ${path}`,
    atMost: FACETS_AT_MOST,
    send: (side, n) => get(() => `/api/content/facets?${query(n)}${side.definitions.size > 0 ? counted : ''}`)(side, n),
  });
  const prompt = (n: number): string => `sort=relevance&prompt=${frequent(n)}+${frequent(n + 1)}`;
  const tag = (n: number): string => `tags=${frequent(n)}&creatorId=${1 + (n % 5_000)}&creatorId=${1 + ((n * 7) % 5_000)}`;
  return [
    list('by date, deep', (n) => `page=${n % 900}`),
    list('a tag, by downloads', (n) => `tags=${frequent(n)}&sort=downloadsCount,desc&page=${n % 20}`),
    list('two frequent words', prompt),
    list('a name', (n) => `sort=relevance&prompt=${itemOf(1 + ((n * 7_919) % items), items).name.join('+')}`),
    facets('a tag and two creators', tag),
    facets('a tag and two creators, three fields counted', tag, COUNTED),
    facets('two frequent words', prompt),
    facets('two frequent words, three fields counted', prompt, COUNTED),
    facets('a tag', (n) => `tags=${frequent(n)}`),
    facets('a tag, three fields counted', (n) => `tags=${frequent(n)}`, COUNTED),
    { path: 'upload, with indexing', atMost: UPLOAD_AT_MOST, send: upload, isIndexed: true },
  ];
}

/** Of about 1 KB. */
const upload: Send = async (side, n) => {
  const { name, description, tags, fields } = itemOf(n, 1_000);
  const { userId } = side.users[n % side.users.length] ?? {};
  const response = await fetch(`${side.cluster.client.baseUrl}/content`, {
    method: 'POST',
    headers: { ...authorizationOf(side, n), 'content-type': 'application/json' },
    body: JSON.stringify({
      creatorId: userId,
      name: name.join(' '),
      description: description.join(' '),
      version: 1,
      data: 'x'.repeat(500),
      tags,
      ...(side.definitions.size > 0 && { fields }),
    }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${side.name}: an upload returned ${response.status}: ${text}`);
};
