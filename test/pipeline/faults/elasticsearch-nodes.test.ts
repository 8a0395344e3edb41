import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Server } from '@ugc/local-stack/server';
import { ChaosProxy } from '../../support/cluster/chaos-proxy.ts';
import { type Cluster, startCluster } from '../../support/cluster/cluster.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { Uploads } from '../../support/cluster/uploads.ts';
import { long } from '../../support/jest/long.ts';
import { failureOf, indexCommand, startIndexCommand } from '../../support/processes/command.ts';
import { type ElasticsearchNodes, startElasticsearchNodes } from '../../support/servers/elasticsearch-nodes.ts';

long.describe('with three nodes of Elasticsearch', () => {
  let nodes: ElasticsearchNodes;
  let cluster: Cluster;
  const uploads = new Uploads();
  beforeAll(async () => {
    nodes = await startElasticsearchNodes();
    cluster = await startCluster({}, { ELASTICSEARCH_URL: nodes.url });
  });
  afterAll(async () => {
    await cluster.stop();
    await nodes.stop();
  });

  async function nodeOfPrimary(): Promise<Server> {
    const { elasticsearch, alias } = cluster;
    await elasticsearch.cluster.health({ index: alias, wait_for_status: 'green', timeout: '120s' }, { requestTimeout: 130_000 });
    const shards = await elasticsearch.cat.shards({ index: alias, format: 'json', h: ['prirep', 'node'] });
    const name = shards.find(({ prirep }) => prirep === 'p')?.node ?? '';
    return nodes.byName.get(name) ?? Promise.reject(new Error(`no node ${name}`));
  }

  /** Takes lists until `work` ends. @returns their statuses */
  async function listDuring(work: Promise<unknown>): Promise<Set<number>> {
    const progress = { ended: false };
    void work.catch(() => undefined).finally(() => (progress.ended = true));
    const statuses = new Set<number>();
    while (!progress.ended) {
      const { status, body } = await cluster.client.list({ prompt: 'steady', sort: 'relevance', size: 50 });
      statuses.add(status);
      if (status === 200) expect(body.totalElements).toBe(10);
    }
    return statuses;
  }

  it('uploads succeed, no list is incomplete and a rebuild ends while the node of the primary shard is killed and restarted', async () => {
    await uploads.sendMany(cluster.client, 'steady', 10);
    await cluster.indexed();
    const node = await nodeOfPrimary();
    const fault = async (): Promise<void> => {
      const { result } = startIndexCommand(cluster.env, 'index-rebuild');
      await uploads.sendMany(cluster.client, 'before', 5);
      await node.kill();
      await uploads.sendMany(cluster.client, 'without the node', 50);
      await result;
    };
    const faulty = fault();
    const [statuses] = await Promise.all([listDuring(faulty), faulty]);
    expect([...statuses].filter((status) => status !== 200 && status !== 500)).toEqual([]);
    await node.start();
    // If the node was lost at the wrong moment, the command says so and is repeated.
    expect(failureOf(await indexCommand(cluster.env, 'index-rebuild'))).toBe('');
    await uploads.sendMany(cluster.client, 'with all nodes', 5);
    await cluster.indexed();
    expect(uploads.statusesBut(201)).toEqual([]);
    expect((await cluster.client.list()).status).toBe(200);
    await expectNothingLost(cluster, uploads);
  });
});

describe('with the URLs of several nodes', () => {
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
    nodes[1]?.restore();
    await expectNothingLost(cluster, uploads);
  });

  it('while one of them refuses all searches, lists succeed and no process ends', async () => {
    const uploads = new Uploads();
    for (const status of [502, 503, 504]) {
      nodes[0]?.intercept(({ path }) => (/_m?search/.test(path) ? { status, body: {} } : undefined));
      await uploads.send(cluster.client, `while searches are refused with ${status}`);
      await cluster.indexed();
      for (let n = 0; n < 5; n++) expect(await cluster.client.search(`"refused with ${status}"`)).toHaveLength(1);
      nodes[0]?.restore();
    }
    await expectNothingLost(cluster, uploads);
  });

  it('the commands accept several nodes', async () => {
    const url = nodes.map((node) => node.url).join(',');
    expect(await indexCommand({ ...cluster.env, ELASTICSEARCH_URL: url }, 'index-status', '--json')).toMatchObject({ code: 0 });
  });
});
