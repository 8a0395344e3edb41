import { serverAccount } from '@ugc/local-stack/account';
import { searchServer } from '@ugc/local-stack/search-server';
import type { Server } from '@ugc/local-stack/server';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from '../cluster/cluster-servers.ts';
import { dataFolder } from './data-folder.ts';
import { IS_OPENSEARCH } from './search-engine.ts';

const NAMES = ['node-0', 'node-1', 'node-2'];

/** Three nodes of one cluster of Elasticsearch, or OpenSearch. `url` names all of them. */
export type ElasticsearchNodes = { url: string; byName: Map<string, Server>; stop(): Promise<void> };

export async function startElasticsearchNodes(): Promise<ElasticsearchNodes> {
  const dataDir = await dataFolder('nodes-');
  const ports = await freePorts(2 * NAMES.length);
  const transportPorts = ports.slice(NAMES.length);
  const shared = {
    'discovery.type': IS_OPENSEARCH ? 'zen' : 'multi-node',
    'discovery.seed_hosts': transportPorts.map((port) => `127.0.0.1:${port}`).join(','),
    'cluster.initial_master_nodes': NAMES.join(','),
  };
  const nodes = NAMES.map((name, n) =>
    searchServer().create({
      dataDir: join(dataDir, name),
      port: ports[n] ?? 0,
      as: serverAccount(),
      settings: { ...shared, 'node.name': name, 'transport.port': transportPorts[n] ?? 0 },
    }),
  );
  // None is ready before two of them have found each other.
  await Promise.all(nodes.map((node) => node.start()));
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
    await rm(dataDir, { recursive: true, force: true });
  };
  return { url: nodes.map(({ url }) => url).join(','), byName: new Map(nodes.map((node, n) => [NAMES[n] ?? '', node])), stop };
}
