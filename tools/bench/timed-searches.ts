import { tokenOf } from '../../test/support/http/tokens.ts';
import type { LoadedStack } from './relevance-stack.ts';

export type TimedSearch = Found & { ms: number; plainMs: number };
/** `ranked`: the ids of the documents. `isByMeaning`: whether the list was ranked by meaning. */
type Found = { ranked: string[]; isByMeaning: boolean };
export type SearchTimed = (prompt: string, parameters: Record<string, string>) => Promise<TimedSearch>;

const SIZE = 20;
const PLAIN_FIELDS = ['name^2', 'tags^2', 'description', 'creatorName'];

/**
 * @returns a function that sends a prompt to the API, and the same text to Elasticsearch as one plain query, and
 * measures both in milliseconds
 */
export async function timedSearches(stack: LoadedStack): Promise<SearchTimed> {
  const token = await tokenOf(1);
  const plainFields = await searchedFields(stack);
  let searches = 0;
  return async (prompt, parameters) => {
    const plain = async () => plainSearch(stack, prompt, plainFields);
    const api = async () => apiSearch(stack, token, { ...parameters, prompt });
    // The search that comes second finds the index in the caches of the processor.
    searches += 1;
    const plainFirst = searches % 2 === 0 ? await timed(plain) : undefined;
    const { result: found, ms } = await timed(api);
    const { ms: plainMs } = plainFirst ?? (await timed(plain));
    return { ...found, ms, plainMs };
  };
}

async function searchedFields({ elasticsearch, env }: LoadedStack): Promise<string[]> {
  const [index] = Object.values(await elasticsearch.indices.getMapping({ index: env['CONTENT_ALIAS'] ?? '' }));
  const { text, folded } = index?.mappings.properties ?? {};
  if (text) return ['text'];
  const prefix = folded ? 'folded.' : '';
  return PLAIN_FIELDS.map((field) => prefix + field);
}

function plainSearch({ elasticsearch, env }: LoadedStack, query: string, fields: string[]): Promise<unknown> {
  const index = env['CONTENT_ALIAS'] ?? '';
  return elasticsearch.search({ index, size: SIZE, track_total_hits: true, query: { combined_fields: { query, fields } } });
}

async function apiSearch({ client }: LoadedStack, token: string, parameters: Record<string, string>): Promise<Found> {
  const query = new URLSearchParams({ ...parameters, sort: 'relevance', size: String(SIZE) });
  const { status, text, body, headers } = await client.request('GET', `/api/content?${query}`, { token });
  if (status !== 200) throw new Error(`the search for ${parameters['prompt']} returned ${status}: ${text}`);
  const ranked = body.content.map(({ data }: { data: string }) => data.replace('doc:', ''));
  return { ranked, isByMeaning: headers.get('search-ranking') === 'semantic' };
}

async function timed<T>(send: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const startedAt = performance.now();
  const result = await send();
  return { result, ms: performance.now() - startedAt };
}
