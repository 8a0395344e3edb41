import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Server } from '@ugc/local-stack/server';
import { startCluster, type Cluster } from '../../support/cluster/cluster.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { Uploads } from '../../support/cluster/uploads.ts';
import { long } from '../../support/jest/long.ts';
import { failureOf, indexCommand, startIndexCommand } from '../../support/processes/command.ts';
import { startElasticsearchNodes, type ElasticsearchNodes } from '../../support/servers/elasticsearch-nodes.ts';

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
