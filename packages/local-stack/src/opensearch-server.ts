import { join } from 'node:path';
import { writeOpenSearchConfig } from './elasticsearch-config.ts';
import { cacheFolder } from './folders.ts';
import { findJava } from './java.ts';
import { commonSettings, prepareFolders, searchServerProcess, type SearchServerOptions } from './search-server-process.ts';
import type { Launch } from './server.ts';
import { cachedArtifact, type Artifact } from './artifacts.ts';

const VERSION = '3.8.0';
const UNPACKED = `opensearch-${VERSION}`;
const ARTIFACT: Artifact = {
  title: `OpenSearch ${VERSION}`,
  coordinates: `org.opensearch.distribution.integ-test-zip:opensearch:${VERSION}:zip`,
  megabytes: 160,
};

/** The server's installation folder, with the modules of the official image. Downloaded once per version. */
async function opensearchHome(cache: string): Promise<string> {
  return join(await cachedArtifact(ARTIFACT, UNPACKED, cache), UNPACKED);
}

/** What `bin/opensearch` computes in four Java processes. */
const JVM_OPTIONS = [
  '-Xms512m',
  '-Xmx512m',
  '-XX:MaxDirectMemorySize=256m',
  '-XX:+UseG1GC',
  // Those of its jvm.options.
  '-XX:G1ReservePercent=25',
  '-XX:InitiatingHeapOccupancyPercent=30',
  '-XX:+ExitOnOutOfMemoryError',
  '-XX:-OmitStackTraceInFastThrow',
  '-Xss1m',
  '-Dfile.encoding=UTF-8',
  '-Djava.awt.headless=true',
  '-Djava.locale.providers=SPI,CLDR',
  '-Djna.nosys=true',
  '-Dio.netty.noUnsafe=true',
  '-Dio.netty.noKeySetOptimization=true',
  '-Dio.netty.recycler.maxCapacityPerThread=0',
  '-Dio.netty.allocator.numDirectArenas=0',
  '-Dlog4j.shutdownHookEnabled=false',
  '-Dlog4j2.disable.jmx=true',
  '-Dorg.apache.lucene.store.MMapDirectory.sharedArenaMaxPermits=1',
  '--add-modules=jdk.incubator.vector',
  '--add-opens=java.base/java.nio=ALL-UNNAMED',
  '-javaagent:agent/opensearch-agent.jar',
];

export const opensearchServer = searchServerProcess('OpenSearch', prepare);

async function prepare({ dataDir, port, as, settings, env = process.env }: SearchServerOptions): Promise<Launch> {
  const java = await findJava(env, as);
  const home = await opensearchHome(cacheFolder(env));
  const folders = await prepareFolders(dataDir, as);
  await writeOpenSearchConfig(folders.config, {
    ...commonSettings(port, folders),
    'path.data': folders.data,
    // Unlike Elasticsearch, it would refuse requests when 95 % of the heap are used, also if most of that is garbage.
    'indices.breaker.total.use_real_memory': false,
    ...settings,
  });
  const properties = {
    'java.io.tmpdir': folders.tmp,
    'opensearch.path.home': home,
    'opensearch.path.conf': folders.config,
    'opensearch.distribution.type': 'zip',
    'opensearch.bundled_jdk': 'false',
  };
  const args = [
    ...JVM_OPTIONS,
    // endLeftover recognizes the server by these folders on its command line.
    ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
    // Java uses the last of repeated options.
    ...(env['ES_JAVA_OPTS'] ?? '').split(/\s+/).filter((option) => option !== ''),
    '-cp',
    join(home, 'lib/*'),
    'org.opensearch.bootstrap.OpenSearch',
  ];
  return { command: join(java.home, 'bin/java'), args, cwd: home };
}
