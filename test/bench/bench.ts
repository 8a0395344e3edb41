import type { Config } from '@jest/types';
import { startCluster, type Cluster } from '../support/cluster.ts';
import startServers from '../support/start-servers.ts';
import stopServers from '../support/stop-servers.ts';
import { until } from '../support/until.ts';
import { benchIndexers } from './indexers.ts';
import { percentile } from './percentile.ts';
import { benchRebuild } from './rebuild.ts';
import { benchWorst } from './worst.ts';

/** How long things take on this machine, on real servers, API and indexer as processes. Run by `npx pnpm bench`, followed by `indexers`, `rebuild`, `worst` or nothing. */
type Figure = { what: string; p50: number; p99: number; times: number };

await startServers({ testPathPatterns: { patterns: [] } } as unknown as Config.GlobalConfig);
try {
  const [, , what = 'calls'] = process.argv;
  if (what === 'indexers') await benchIndexers();
  else if (what === 'rebuild') await benchRebuild();
  else if (what === 'worst') await benchWorst();
  else await benchCalls();
} finally {
  await stopServers();
}

async function benchCalls(): Promise<void> {
  const calm = await startCluster({ redis: true, elasticsearch: true });
  const rows = [
    await measure('upload → 201', 300, () => calm.client.upload({ name: 'timed' })),
    await measure('upload → found by search', 20, (n) => untilFound(calm, `freshness${n}`)),
    await measure('search, relevance, one word', 200, () => calm.client.search('timed', { sort: 'relevance', size: 10 })),
    await measure('search, misspelt word', 200, () => calm.client.search('tmied', { sort: 'relevance', size: 10 })),
    await measure('get one', 300, () => calm.client.get('/api/content/1')),
  ];
  rows.push(await measure('upload → 201, each of 64 callers at once', 1_920, () => calm.client.upload(), 64));
  await calm.indexed();
  for (const [name, server] of Object.entries({ Redis: calm.redis, Elasticsearch: calm.elasticsearchServer })) {
    server?.signal('SIGSTOP');
    rows.push(await measure(`upload → 201 while ${name} hangs`, 300, () => calm.client.upload()));
    await server?.kill();
    rows.push(await measure(`upload → 201 while ${name} is down`, 300, () => calm.client.upload()));
    await server?.start();
  }
  await calm.stop();
  print(rows);
}

async function measure(what: string, times: number, call: (n: number) => Promise<unknown>, callers = 1): Promise<Figure> {
  const durations: number[] = [];
  const timed = async (n: number): Promise<void> => {
    const startedAt = performance.now();
    await call(n);
    durations.push(performance.now() - startedAt);
  };
  const caller = async (first: number): Promise<void> => {
    for (let n = first; n < times; n += callers) await timed(n);
  };
  await Promise.all(Array.from({ length: callers }, (_, first) => caller(first)));
  return { what, p50: percentile(durations, 0.5), p99: percentile(durations, 0.99), times };
}

async function untilFound({ client }: Cluster, word: string): Promise<void> {
  await client.upload({ name: word });
  await until('it is found', async () => (await client.search(`"${word}"`)).length === 1);
}

function print(figures: Figure[]): void {
  const upload = figures[0]?.p50 ?? 1;
  console.table(
    figures.map(({ what, p50, p99, times }) => ({
      what,
      'p50 ms': Math.round(p50),
      'p99 ms': Math.round(p99),
      'p50 : p50 of an upload': Number((p50 / upload).toFixed(2)),
      times,
    })),
  );
}
