import { join } from 'node:path';
import type { Account } from './account.ts';
import { writeConfig, type ElasticsearchSettings } from './elasticsearch-config.ts';
import { elasticsearchHome } from './elasticsearch-home.ts';
import { cacheFolder, prepareServerFolder } from './folders.ts';
import { findJdk } from './java.ts';
import type { Say } from './progress-line.ts';
import { ServerProcess } from './server-process.ts';
import type { Launch, Server } from './server.ts';

export type ElasticsearchOptions = {
  dataDir: string;
  port: number;
  as?: Account | undefined;
  settings?: ElasticsearchSettings;
  env?: NodeJS.ProcessEnv;
  say?: Say;
};

export function elasticsearchServer(options: ElasticsearchOptions): Server {
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
    answers: () => answers(url),
  });
}

async function prepare({ dataDir, port, as, settings, env = process.env, say = () => undefined }: ElasticsearchOptions): Promise<Launch> {
  const jdk = await findJdk(env, as);
  const home = await elasticsearchHome(jdk, { cache: cacheFolder(env), say });
  const folders = { config: join(dataDir, 'config'), data: join(dataDir, 'data'), logs: join(dataDir, 'logs'), tmp: join(dataDir, 'tmp') };
  for (const folder of Object.values(folders)) await prepareServerFolder(folder, as);
  await writeConfig(folders.config, { ...settingsFor(port, folders), ...settings });
  // The later ones win.
  const javaOptions = `-Xms512m -Xmx512m ${env['ES_JAVA_OPTS'] ?? ''}`;
  return {
    command: join(home, 'bin/elasticsearch'),
    // Names the data folder on the command line, by which a process left behind is known again.
    args: ['-E', `path.data=${folders.data}`],
    env: { ES_JAVA_HOME: jdk.home, ES_PATH_CONF: folders.config, ES_TMPDIR: folders.tmp, ES_JAVA_OPTS: javaOptions },
  };
}

function settingsFor(port: number, { logs }: { logs: string }): ElasticsearchSettings {
  return {
    'cluster.name': 'ugc-local',
    'node.name': 'local',
    'discovery.type': 'single-node',
    'path.logs': logs,
    'http.host': '127.0.0.1',
    'http.port': port,
    'transport.host': '127.0.0.1',
    'transport.port': 0,
    'xpack.security.enabled': false,
    // An index is made with its mapping or not at all, also after the data were lost.
    'action.auto_create_index': false,
    // A developer's disk may be as full as it likes.
    'cluster.routing.allocation.disk.threshold_enabled': false,
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(5_000);
    const response = await fetch(`${url}/_cluster/health?wait_for_status=yellow&timeout=2s`, { signal });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
