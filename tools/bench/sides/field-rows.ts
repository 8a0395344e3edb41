import { FIRST_CREATOR, Site, tagOf, type SiteTexts } from '../collection/site.ts';
import { FREQUENT } from '../collection/words.ts';
import { authorizationOf, get, uncached, type Row } from './in-turn.ts';
import type { Side } from './side.ts';

const LIST_AT_MOST = 1.1;
const FACETS_AT_MOST = 1.3;
const UPLOAD_AT_MOST = 1.1;

/** The texts of other uploads. */
const UPLOADED = new Site(100_000);

const frequent = (n: number): string => FREQUENT[(n * 7) % FREQUENT.length] ?? '';
const frequentTag = (n: number): string => encodeURIComponent(tagOf((n * 7) % 60));
const creator = (n: number): number => FIRST_CREATOR + (n % 100);
const COUNTED = '&facetFields=licence&facetFields=game&facetFields=build.game';

/** The same lists, facets and uploads; on the side with declared fields, uploads have values and facets count them. */
export function fieldRows(items: number): Row[] {
  const site = new Site(items);
  const list = (path: string, query: (n: number) => string): Row => ({
    path: `list, ${path}`,
    atMost: LIST_AT_MOST,
    send: get((n) => `/api/content?size=10&${query(n)}`),
  });
  const facets = (path: string, query: (n: number) => string, counted = ''): Row =>
    uncached(`facets, ${path}`, { atMost: FACETS_AT_MOST }, (side, n) =>
      get(() => `/api/content/facets?${query(n)}${side.definitions.size > 0 ? counted : ''}`)(side, n),
    );
  const prompt = (n: number): string => `sort=relevance&prompt=${frequent(n)}+${frequent(n + 1)}`;
  const tag = (n: number): string => `tags=${frequentTag(n)}&creatorId=${creator(n)}&creatorId=${creator(n * 7)}`;
  return [
    list('by date, deep', (n) => `page=${n % 900}`),
    list('a tag, by downloads', (n) => `tags=${frequentTag(n)}&sort=downloadsCount,desc&page=${n % 20}`),
    list('two frequent words', prompt),
    list('a name', (n) => `sort=relevance&prompt=${site.textsOf(1 + ((n * 7_919) % items)).name.join('+')}`),
    facets('a tag and two creators', tag),
    facets('a tag and two creators, three fields counted', tag, COUNTED),
    facets('two frequent words', prompt),
    facets('two frequent words, three fields counted', prompt, COUNTED),
    facets('a tag', (n) => `tags=${frequentTag(n)}`),
    facets('a tag, three fields counted', (n) => `tags=${frequentTag(n)}`, COUNTED),
    uploadRow,
  ];
}

export const uploadRow: Row = { path: 'upload, with indexing', atMost: UPLOAD_AT_MOST, send: upload, isIndexed: true };

/** Of some 500 bytes, as the items of the collection. */
export async function upload(side: Side, n: number): Promise<void> {
  const { userId } = side.users[n % side.users.length] ?? {};
  const response = await fetch(`${side.cluster.client.baseUrl}/content`, {
    method: 'POST',
    headers: { ...authorizationOf(side, n), 'content-type': 'application/json' },
    body: JSON.stringify({ creatorId: userId, ...bodyOf(UPLOADED.textsOf(1 + (n % UPLOADED.items)), side) }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${side.name}: an upload returned ${response.status}: ${text}`);
}

function bodyOf({ name, description, tags, fields }: SiteTexts, { definitions }: Side): object {
  const texts = { name: name.join(' '), description: description.join(' '), version: 1, data: 'x'.repeat(200), tags };
  return definitions.size > 0 ? { ...texts, fields } : texts;
}
