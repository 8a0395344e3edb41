import { join } from 'node:path';
import type { Account } from './account.ts';
import type { ElasticsearchSettings } from './elasticsearch-config.ts';
import { prepareServerFolder } from './folders.ts';
import type { RunTool } from './run-tool.ts';
import { ServerProcess } from './server-process.ts';
import type { Launch, Server } from './server.ts';

export type SearchServerOptions = {
  dataDir: string;
  port: number;
  as?: Account | undefined;
  settings?: ElasticsearchSettings;
  env?: NodeJS.ProcessEnv;
};

/** @returns a function that creates the server of these options */
export function searchServerProcess(
  name: 'Elasticsearch' | 'OpenSearch',
  prepare: (options: SearchServerOptions, runTool: RunTool) => Promise<Launch>,
): (options: SearchServerOptions) => Server {
  return (options) => {
    const { dataDir, port, as } = options;
    const url = `http://127.0.0.1:${port}`;
    return new ServerProcess({
      name,
      url,
      dataDir,
      as,
      stopSignal: 'SIGTERM',
      prepare: (runTool) => prepare(options, runTool),
      isReady: () => isReady(url),
    });
  };
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

async function isReady(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(30_000);
    const response = await fetch(`${url}/_cluster/health?wait_for_status=yellow&timeout=2s`, { signal });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
