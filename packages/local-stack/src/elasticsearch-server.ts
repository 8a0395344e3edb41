import { writeConfig } from './elasticsearch-config.ts';
import { elasticsearchHome } from './elasticsearch-home.ts';
import { elasticsearchLaunch } from './elasticsearch-launch.ts';
import { cacheFolder } from './folders.ts';
import { findJava } from './java.ts';
import { commonSettings, prepareFolders, searchServerProcess, type SearchServerOptions } from './search-server-process.ts';
import type { RunTool } from './run-tool.ts';
import type { Launch } from './server.ts';

export const elasticsearchServer = searchServerProcess('Elasticsearch', prepare);

async function prepare({ dataDir, port, as, settings, env = process.env }: SearchServerOptions, runTool: RunTool): Promise<Launch> {
  const java = await findJava(env, as);
  const home = await elasticsearchHome(java, cacheFolder(env));
  const folders = await prepareFolders(dataDir, as);
  await writeConfig(folders.config, { ...commonSettings(port, folders), 'xpack.security.enabled': false, ...settings });
  // Java uses the last of repeated options.
  const javaOptions = `-Xms512m -Xmx512m ${env['ES_JAVA_OPTS'] ?? ''}`;
  const args = ['-E', `path.data=${folders.data}`];
  // endLeftover recognizes the server by its temporary folder on its command line.
  return elasticsearchLaunch({ home, java, config: folders.config, tmp: folders.tmp, args, javaOptions, as }, runTool);
}
