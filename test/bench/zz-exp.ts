import { startCluster } from '../support/cluster.ts';
import startServers from '../support/start-servers.ts';
import stopServers from '../support/stop-servers.ts';
import { fillIndex, random, VOCABULARY } from './fill-index.ts';
await startServers({ testPathPatterns: { patterns: [] } } as never);
const cluster = await startCluster();
const index = cluster.env['CONTENT_ALIAS'] ?? '';
await cluster.elasticsearch.indices.putSettings({ index, settings: { refresh_interval: '-1' } });
const t0 = Date.now();
const tag = (n: number) => `${VOCABULARY[n % VOCABULARY.length]} ${n}`;
await fillIndex(cluster, {
  items: Number(process.env['BENCH_ITEMS']),
  creators: 50_000,
  tagsOf: () => [0, 0, 0].map(() => tag(Math.floor(300_000 * random() ** 3))),
});
await cluster.elasticsearch.indices.putSettings({ index, settings: { refresh_interval: '1s' } });
console.log('READY', (Date.now() - t0) / 1000, JSON.stringify(cluster.env), cluster.client.baseUrl);
await new Promise((r) => process.once('SIGUSR2', r));
await cluster.stop();
await stopServers();
