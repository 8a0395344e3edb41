import { loadDemo } from '@ugc/api/commands/load-demo';
import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { tokenOf } from '../../test/support/http/tokens.ts';
import { median } from './percentile.ts';
import { measureServer, type Requests } from './table/pair.ts';

const ROUNDS = 9;
const SECONDS = 2;
const WARM_UP_SECONDS = 5;
const USERS = 16;
const ENCODINGS = ['identity', 'gzip', 'br'] as const;
type Encoding = (typeof ENCODINGS)[number];

const PROMPTS = ['lighthouse', 'kids', 'city', 'old', 'small', 'printable', 'paper', 'sea', 'bread', 'harbour'];
const PAGE = 'fields=summary&include=tags&highlight=true&explain=true&size=24&sort=relevance';

/** Query strings of lists. Each user begins with another one. */
const LISTS: Record<string, string[]> = {
  'list of 10, the same for all users': ['size=10'],
  'list of 10, 20 pages': Array.from({ length: 20 }, (_, page) => `size=10&page=${page}`),
  'list of 10, prompt': PROMPTS.map((prompt) => `size=10&sort=relevance&prompt=${prompt}`),
  'list of the web page, prompt': PROMPTS.map((prompt) => `${PAGE}&prompt=${prompt}`),
  'list of 100, prompt': PROMPTS.map((prompt) => `size=100&sort=relevance&prompt=${prompt}`),
};

/** Compares lists of the demo collection for clients that accept compression with those for clients that do not. */
export async function benchCompression(): Promise<void> {
  const cluster = await startCluster();
  await cluster.database.query('delete from users');
  await loadDemo({ database: cluster.database, alias: cluster.env['CONTENT_ALIAS'] ?? '' }, () => undefined);
  await cluster.indexed();
  const rows: object[] = [];
  for (const [list, queries] of Object.entries(LISTS)) rows.push({ list, ...(await compare(cluster, queries)) });
  await cluster.stop();
  console.log(`Lists per second of an encoding : uncompressed, in turn, medians of ${ROUNDS} rounds of ${SECONDS} s, 16 connections`);
  console.table(rows);
}

async function compare({ api }: Cluster, queries: string[]): Promise<object> {
  const requests = {} as Record<Encoding, Requests>;
  for (const encoding of ENCODINGS) requests[encoding] = await requestsOf(queries, encoding);
  await measureServer(api, { requests: requests.identity, store: undefined, seconds: WARM_UP_SECONDS });
  const rounds: Record<Encoding, { perSecond: number; cpuMs: number }>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const measured = {} as (typeof rounds)[number];
    // Each is first and last in some rounds.
    for (const encoding of round % 2 === 0 ? ENCODINGS : ENCODINGS.toReversed())
      measured[encoding] = await measureServer(api, { requests: requests[encoding], store: undefined, seconds: SECONDS });
    rounds.push(measured);
  }
  const ratio = (encoding: Encoding): string => {
    const ratios = rounds.map((round) => round[encoding].perSecond / round.identity.perSecond);
    return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
  };
  const cpu = (encoding: Encoding): string => median(rounds.map((round) => round[encoding].cpuMs)).toFixed(2);
  return {
    'per second': Math.round(median(rounds.map(({ identity }) => identity.perSecond))),
    gzip: ratio('gzip'),
    br: ratio('br'),
    'CPU ms': ENCODINGS.map(cpu).join(' · '),
  };
}

async function requestsOf(queries: string[], encoding: Encoding): Promise<Requests> {
  const users = await Promise.all(Array.from({ length: USERS }, (_, n) => tokenOf(n + 1)));
  return users.flatMap((token, user) =>
    queries.map((_, position) => ({
      path: `/api/content?${queries[(user + position) % queries.length]}`,
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': encoding },
    })),
  );
}
