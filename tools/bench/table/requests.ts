import type { Server } from '@ugc/local-stack/server';
import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTENT_WORDS, words } from '../collection/words.ts';
import { countOutbox, NOT_REJECTED } from '../../../test/support/database/outbox.ts';
import type { BenchStack } from './bench-stack.ts';
import type { Figure, Section } from './figure.ts';
import { startLimit } from './limit-process.ts';
import { measurePair, type Pair, type Requests } from './pair.ts';
import { createPlainIndex, plainSearches } from './plain-searches.ts';
import { recordSearches, type RecordedSearches } from './recorded-searches.ts';

const PROMPTS = 20;
const PAGES = 20;
/** Of what a path does more than its limit, an estimate was measured: docs/measurements.md, "Goals of paths that do more". */
const BOUNDED = { pages: 0.5, knownWords: 0.43, upload: 0.42 };

/** Reads: requests per second beside those of the programs of tools/bench/limits. */
export const measureReads: Section = async ({ stack, rounds }) => {
  const limit = await startLimit(stack.cluster, 'get-one');
  const { api: ours, postgres: store } = stack.cluster;
  const pair = { ours, limit, store, limitedBy: 'one prepared statement, same JSON' };
  const figures = [
    await measurePair({ ...pair, path: 'get one', goal: { atLeast: 0.55 }, requests: getRequests(stack) }, rounds),
    await measurePair({ ...pair, path: 'get one → 304', goal: { atLeast: 0.6 }, requests: await unchangedRequests(stack) }, rounds),
  ];
  await limit.stop();
  return figures;
};

export const measureLists: Section = async ({ stack, rounds }) => {
  const searches = await recordSearches(
    stack,
    LISTS.flatMap(({ queries }) => queries),
  );
  const limit = await startListLimit(stack, searches);
  const { api: ours, elasticsearchServer: store } = stack.cluster;
  const pair = { ours, limit, store, limitedBy: 'the same requests to Elasticsearch', goal: { atLeast: 0.8 }, warmUpSeconds: 15 };
  const figures: Figure[] = [];
  for (const { queries, ...row } of LISTS)
    figures.push(await measurePair({ ...pair, ...row, requests: listRequests(stack, queries) }, rounds));
  await limit.stop();
  return [...figures, ...(await measurePrompt({ stack, rounds }, pair))];
};

/** What a program would send that does no more than it must, without and with tolerance for typing errors. */
const PLAIN = [
  { path: 'list of 10, known words', limitedBy: 'one plain multi_match', goal: { atLeast: BOUNDED.knownWords }, options: {} },
  {
    path: 'list of 10, known words, beside fuzziness',
    limitedBy: 'one multi_match with fuzziness',
    goal: { atLeast: 2 },
    options: { fuzziness: 'AUTO' },
  },
];

/** The words of the prompts are known: the API has read them in the rows before. */
async function measurePrompt(
  { stack, rounds }: Parameters<Section>[0],
  pair: Omit<Pair, 'path' | 'requests' | 'limit'>,
): Promise<Figure[]> {
  const index = await createPlainIndex(stack.cluster);
  const requests = listRequests(stack, PROMPT_QUERIES);
  const figures: Figure[] = [];
  for (const { options, ...row } of PLAIN) {
    const limit = await startListLimit(stack, plainSearches(index, PROMPT_QUERIES, options));
    figures.push(await measurePair({ ...pair, ...row, limit, requests }, rounds));
    await limit.stop();
  }
  return figures;
}

export const measureUploads: Section = async ({ stack, rounds }) => {
  const { cluster } = stack;
  const limit = await startLimit(cluster, 'upload');
  const requests = uploadRequests(stack);
  const pair = { ours: cluster.api, limit, store: cluster.postgres, requests, limitedBy: 'one INSERT and COMMIT' };
  await cluster.indexer.stop();
  const alone = await measurePair({ ...pair, path: 'upload, indexers stopped', goal: { atLeast: BOUNDED.upload } }, rounds);
  await cluster.indexer.start();
  await cluster.indexed();
  const beside = await measureIndexedUploads(stack, { ...pair, path: 'upload, indexing beside it', goal: { atLeast: 0.25 } }, rounds);
  await limit.stop();
  return [alone, ...beside];
};

/** How long the uploads of the backlog took. */
const BACKLOG_MAX_SECONDS = 2;

async function measureIndexedUploads({ cluster }: BenchStack, pair: Pair, rounds: number): Promise<Figure[]> {
  const backlogs: number[] = [];
  const afterRound: Pair['afterRound'] = async ({ perSecond }) => {
    backlogs.push((await countOutbox(cluster.database, NOT_REJECTED)) / perSecond);
    await cluster.indexed();
  };
  const uploads = await measurePair({ ...pair, seconds: 6, afterRound }, rounds);
  return [
    uploads,
    {
      path: 'backlog of these uploads',
      unit: 's',
      limitedBy: `${BACKLOG_MAX_SECONDS} s of uploads`,
      goal: { atMost: 1 },
      rounds: backlogs.map((ours) => ({ ours, limit: BACKLOG_MAX_SECONDS })),
    },
  ];
}

export function getRequests({ items, users }: BenchStack): Requests {
  return users.map(({ authorization }, n) => ({ path: `/api/content/${1 + ((n * 7_919) % items)}`, headers: { authorization } }));
}

async function unchangedRequests(stack: BenchStack): Promise<Requests> {
  const withTag = async ({ path, headers }: Requests[number]) => {
    const { headers: received } = await fetch(`${stack.cluster.client.baseUrl}${path}`, { headers: headers as Record<string, string> });
    return { path, headers: { ...headers, 'if-none-match': received.get('etag') ?? '' } } as Requests[number];
  };
  return Promise.all(getRequests(stack).map(withTag));
}

const prompts = Array.from({ length: PROMPTS }, (_, n) => `${CONTENT_WORDS[n * 31 + 5]}+${CONTENT_WORDS[n * 57 + 20]}`);

const promptQueries = (size: number): string[] => prompts.map((prompt) => `size=${size}&sort=relevance&prompt=${prompt}`);
const PROMPT_QUERIES = promptQueries(10);

export const LISTS = [
  ...[10, 100].flatMap((size) => [
    { path: `list of ${size}`, queries: [`size=${size}`] },
    { path: `list of ${size}, prompt`, queries: promptQueries(size) },
  ]),
  // The service reads a list once for requests that arrive together; these differ.
  {
    path: `list of 10, ${PAGES} pages`,
    queries: Array.from({ length: PAGES }, (_, page) => `size=10&page=${page}`),
    goal: { atLeast: BOUNDED.pages },
  },
];

/** The order looks random: connections whose lists were read together do not continue with equal lists. */
export function listRequests({ users }: BenchStack, queries: string[]): Requests {
  return users.map(({ authorization }, n) => {
    const position = parseInt(hash('sha256', String(n)).slice(0, 8), 16) % queries.length;
    return { path: `/api/content?${queries[position]}`, headers: { authorization } };
  });
}

async function startListLimit({ cluster }: BenchStack, searches: RecordedSearches): Promise<Server> {
  const file = join(cluster.dataDir, 'searches.json');
  await writeFile(file, JSON.stringify(searches));
  return startLimit(cluster, 'list', { RECORDED_SEARCHES: file });
}

/** Each user uploads an item of about 1 KB. */
export function uploadRequests({ users }: BenchStack): Requests {
  return users.map(({ userId, authorization }) => ({
    method: 'POST',
    path: '/content',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      creatorId: userId,
      name: words(3),
      description: words(40),
      version: 1,
      data: 'x'.repeat(500),
      tags: words(3).split(' '),
    }),
  }));
}
