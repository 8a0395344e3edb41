import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { startCluster, type Cluster } from '../support/cluster/cluster.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { Uploads } from '../support/cluster/uploads.ts';
import { indexCommand } from '../support/processes/command.ts';

let nodes: ChaosProxy[];
let cluster: Cluster;
beforeAll(async () => {
  const url = process.env['TEST_ELASTICSEARCH_URL'] ?? '';
  nodes = [await ChaosProxy.before(url), await ChaosProxy.before(url)];
  cluster = await startCluster({
    processEnv: () => Promise.resolve({ ELASTICSEARCH_URL: nodes.map((node) => node.url).join(',') }),
  });
});
afterAll(async () => {
  await cluster.stop();
  for (const node of nodes) await node.close();
});

it('with the URLs of several nodes, lists succeed and uploads are indexed while one of them is down', async () => {
  const uploads = new Uploads();
  nodes[0]?.reset();
  for (let n = 0; n < 20; n++) {
    await uploads.send(cluster.client, `while a node is down ${n}`);
    expect((await cluster.client.list({ prompt: `down ${n}`, sort: 'relevance' })).status).toBe(200);
  }
  await cluster.indexed();
  expect((await cluster.client.get('/health/ready')).body).toMatchObject({ stores: { elasticsearch: 'up' } });
  nodes[0]?.restore();
  nodes[1]?.reset();
  await uploads.send(cluster.client, 'while the other node is down');
  await cluster.indexed();
  expect(await cluster.client.search('"the other node"')).toHaveLength(1);
  await expectNothingLost(cluster, uploads);
});

it('the commands accept several nodes', async () => {
  const url = nodes.map((node) => node.url).join(',');
  expect(await indexCommand({ ...cluster.env, ELASTICSEARCH_URL: url }, 'index-status', '--json')).toMatchObject({ code: 0 });
});
