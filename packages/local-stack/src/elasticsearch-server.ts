import { join } from 'node:path';
import type { Account } from './account.ts';
import { writeConfig, type ElasticsearchSettings } from './elasticsearch-config.ts';
import { elasticsearchHome } from './elasticsearch-home.ts';
import { elasticsearchLaunch } from './elasticsearch-launch.ts';
import { cacheFolder, prepareServerFolder } from './folders.ts';
import { findJdk } from './java.ts';
import { ServerProcess } from './server-process.ts';
import type { Launch, Server } from './server.ts';

export type SearchServerOptions = {
  dataDir: string;
  port: number;
  as?: Account | undefined;
  settings?: ElasticsearchSettings;
  env?: NodeJS.ProcessEnv;
};

export function elasticsearchServer(options: SearchServerOptions): Server {
  const { dataDir, port, as } = options;
  const url = `http://127.0.0.1:${port}`;
  return new ServerProcess({
    name: 'Elasticsearch',
    url,
    dataDir,
    as,
    stopSignal: 'SIGTERM',
    deadlineMs: 180_000,
    prepare: () => prepare(options),
    isReady: () => isReady(url),
  });
}

async function prepare({ dataDir, port, as, settings, env = process.env }: SearchServerOptions): Promise<Launch> {
  const jdk = await findJdk(env, as);
  const home = await elasticsearchHome(jdk, cacheFolder(env));
  const folders = await prepareFolders(dataDir, as);
  await writeConfig(folders.config, { ...commonSettings(port, folders), 'xpack.security.enabled': false, ...settings });
  // Java uses the last of repeated options.
  const javaOptions = `-Xms512m -Xmx512m ${env['ES_JAVA_OPTS'] ?? ''}`;
  const args = ['-E', `path.data=${folders.data}`];
  // endLeftover recognizes the server by its temporary folder on its command line.
  return elasticsearchLaunch({ home, jdk, config: folders.config, tmp: folders.tmp, args, javaOptions, as });
}

type Folders = { config: string; data: string; logs: string; tmp: string };

export async function prepareFolders(dataDir: string, as: Account | undefined): Promise<Folders> {
  const folders = { config: join(dataDir, 'config'), data: join(dataDir, 'data'), logs: join(dataDir, 'logs'), tmp: join(dataDir, 'tmp') };
  for (const folder of Object.values(folders)) await prepareServerFolder(folder, as);
  return folders;
}

/** The settings that Elasticsearch and OpenSearch have in common. */
export function commonSettings(port: number, { logs }: Folders): ElasticsearchSettings {
  return {
    'cluster.name': 'ugc-local',
    'node.name': 'local',
    'discovery.type': 'single-node',
    'path.logs': logs,
    'http.host': '127.0.0.1',
    'http.port': port,
    'transport.host': '127.0.0.1',
    'transport.port': 0,
    // Without its mapping an index must not be created, not even by a write after a loss of data.
    'action.auto_create_index': false,
    // The disk of a development machine may be nearly full.
    'cluster.routing.allocation.disk.threshold_enabled': false,
  };
}

export async function isReady(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(5_000);
    const response = await fetch(`${url}/_cluster/health?wait_for_status=yellow&timeout=2s`, { signal });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
