import { afterEach, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { startCluster, type Cluster } from '../support/cluster/cluster.ts';
import { until } from '../support/jest/until.ts';

let cluster: Cluster;
afterEach(() => cluster.stop());

it('the API responds to an active request before it stops, and exits by itself', async () => {
  cluster = await startCluster();
  await cluster.indexer.kill();
  const upload = { creatorId: 1, name: 'active', description: '', version: 1, data: '' };
  const response = cluster.client.send('POST', '/content', upload, 1, { prefer: 'wait=3' });
  await until('it is stored', async () => (await cluster.database.query('select 1 from content')).length === 1);
  const ended = cluster.api.stop();
  expect((await response).status).toBe(201);
  await ended;
  const log = await readFile(cluster.apiLogs[0] ?? '', 'utf8');
  const lines = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  // A line that is being written when the process exits may come after it.
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'stopped', code: 0 }));
});
