import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { fillCollection } from './collection/fill.ts';
import { FIRST_CREATOR, Site, tagOf } from './collection/site.ts';
import { CONTENT_WORDS, FREQUENT } from './collection/words.ts';
import { percentile } from './percentile.ts';
import { SUGGESTION_ROWS, type Row } from './suggestions.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 100_000);
const UPLOADS_PER_SECOND = 50;
const ROUNDS = 25;
const UPLOADER = 2;

type Target = Pick<Cluster, 'client' | 'elasticsearch' | 'env'>;

const SITE = new Site(ITEMS);
const MANY = FREQUENT[0] ?? '';
/** Half of the items are newer. */
const MIDDLE = SITE.rowOf(Math.ceil(ITEMS / 2), false).created_at as Date;
const SOME = CONTENT_WORDS[300] ?? '';
const FEW = `${SOME} ${CONTENT_WORDS[2_900]}&match=all`;

const FACET_ROWS: Row[] = [
  facetsOf('no prompt', ''),
  facetsOf('no prompt, tagPrefix', '', '&tagPrefix=fr'),
  facetsOf('no prompt, a common tag', `tags=${tagOf(0)}`),
  facetsOf('no prompt, anyTags', `anyTags=${tagOf(0)}&anyTags=${tagOf(1)}`),
  facetsOf('no prompt, createdFrom', `createdFrom=${MIDDLE.toISOString()}`),
  facetsOf('no prompt, two creators, minRating', `creatorId=${FIRST_CREATOR}&creatorId=${FIRST_CREATOR + 1}&minRating=3`),
  facetsOf('prompt that many items match', `sort=relevance&prompt=${MANY}`),
  facetsOf('the same, anyTags, minDownloads', `sort=relevance&prompt=${MANY}&anyTags=${tagOf(0)}&anyTags=${tagOf(1)}&minDownloads=10`),
  facetsOf('prompt of three frequent words', `sort=relevance&prompt=${FREQUENT.slice(0, 3).join(' ')}`),
  facetsOf('prompt that some items match', `sort=relevance&prompt=${SOME}`),
  facetsOf('prompt that few items match', `sort=relevance&prompt=${FEW}`),
];

function facetsOf(request: string, parameters: string, more = ''): Row {
  return { request: `facets, ${request}`, path: `/api/content/facets?${parameters}${more}`, list: `/api/content?${parameters}` };
}

/** Compares the response times of facets and suggestions with those of the list, while items are uploaded. */
export async function benchFacets(): Promise<void> {
  const cluster = await startCluster();
  await fillCollection(cluster, ITEMS);
  await measureRows(cluster, FACET_ROWS, ROUNDS);
  await measureRows(cluster, SUGGESTION_ROWS, 2 * ROUNDS);
  await cluster.stop();
}

async function measureRows(cluster: Target, rows: Row[], rounds: number): Promise<void> {
  const uploads = startUploads(cluster);
  // Not measured: the first requests compile code and fill caches.
  for (const row of rows) await measureOnce(cluster, row, 0).catch((error: Error) => console.log(`Not measured: ${error.message}`));
  const measured = rows.map((row) => ({ row, durations: [] as Durations[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { row, durations } of measured) durations.push(await measureOnce(cluster, row, round));
  }
  const perSecond = await uploads.end();
  console.log(`Medians of ${rounds}, with ${ITEMS} items, while ${perSecond.toFixed(0)} items per second were uploaded`);
  console.table(measured.map(toFigures));
}

type Durations = { items: number; listMs: number; ms: number; repeatedMs: number; failed: number };

/** Alternates which request comes first, because the second one finds the index in the caches of the processor. */
async function measureOnce(cluster: Target, { path, list }: Row, round: number): Promise<Durations> {
  const [first, second] = round % 2 === 0 ? [list, path] : [path, list];
  const measured = new Map<string, Timed & { repeatedMs: number }>();
  for (const each of [first, second]) {
    // Elasticsearch caches the responses to searches without hits, and so do other users' requests.
    await cluster.elasticsearch.indices.clearCache({ index: cluster.env['CONTENT_ALIAS'] ?? '', request: true });
    const uncached = await timed(cluster, each);
    measured.set(each, { ...uncached, repeatedMs: (await timed(cluster, each)).ms });
  }
  const { ms: listMs = NaN, items = 0 } = measured.get(list) ?? {};
  const { ms = NaN, repeatedMs = NaN, failed = 0 } = measured.get(path) ?? {};
  return { items, listMs, ms, repeatedMs, failed };
}

type Timed = { ms: number; items: number; failed: number };

/** Searches that exceed their time limit fail, on a slow machine and directly after the start. */
async function timed({ client }: Target, path: string): Promise<Timed> {
  const startedAt = performance.now();
  const { status, body, text } = await client.get(path);
  if (status !== 200 && status !== 500) throw new Error(`${path} returned ${status}: ${text}`);
  return { ms: performance.now() - startedAt, items: body.totalElements ?? 0, failed: status === 500 ? 1 : 0 };
}

/** New tags change the ordinals, which every refresh builds again. */
function startUploads({ client }: Target): { end(): Promise<number> } {
  const startedAt = performance.now();
  const sent: Promise<number>[] = [];
  const upload = (n: number): Promise<number> =>
    client.upload({ name: `${MANY} ${SOME}`, tags: [`new ${n}`, ...SITE.textsOf(1 + (n % ITEMS)).tags] }, UPLOADER);
  const timer = setInterval(() => {
    const uploaded = upload(sent.length);
    // Reported at the end.
    uploaded.catch(() => undefined);
    sent.push(uploaded);
  }, 1_000 / UPLOADS_PER_SECOND);
  return {
    end: async () => {
      clearInterval(timer);
      await Promise.all(sent);
      return sent.length / ((performance.now() - startedAt) / 1_000);
    },
  };
}

function toFigures({ row, durations }: { row: Row; durations: Durations[] }): Record<string, string | number> {
  const rounded = (of: (each: Durations) => number, share: number): number => Number(percentile(durations.map(of), share).toFixed(1));
  const [list, request] = [rounded(({ listMs }) => listMs, 0.5), rounded(({ ms }) => ms, 0.5)];
  return {
    request: row.request,
    items: Math.max(...durations.map(({ items }) => items)),
    'list, ms': list,
    'list p95': rounded(({ listMs }) => listMs, 0.95),
    ms: request,
    p95: rounded(({ ms }) => ms, 0.95),
    'ms : list': Number((request / list).toFixed(1)),
    'from cache, ms': rounded(({ repeatedMs }) => repeatedMs, 0.5),
    failed: durations.filter(({ failed }) => failed > 0).length,
  };
}
