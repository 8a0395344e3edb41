import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './folders.ts';

export type ElasticsearchSettings = Record<string, string | number | boolean>;

const JVM_OPTIONS = `
-XX:+UseG1GC
-Djava.io.tmpdir=\${ES_TMPDIR}
-XX:-AlwaysPreTouch
-XX:+ExitOnOutOfMemoryError
-XX:-HeapDumpOnOutOfMemoryError
--add-modules=jdk.incubator.vector
-Dorg.apache.lucene.store.defaultReadAdvice=normal
-Dorg.apache.lucene.store.MMapDirectory.sharedArenaMaxPermits=1
`;

// Logs go to standard output, which is redirected to server.log in the data folder.
const LOGGING = `
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%consoleException%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
`;

/** Overwrites the server's configuration files. */
export async function writeConfig(folder: string, settings: ElasticsearchSettings): Promise<void> {
  await writeSettings(folder, 'elasticsearch.yml', settings);
  await writeFile(join(folder, 'jvm.options'), JVM_OPTIONS);
  await writeFile(join(folder, 'log4j2.properties'), LOGGING);
}

export async function writeOpenSearchConfig(folder: string, settings: ElasticsearchSettings): Promise<void> {
  await writeSettings(folder, 'opensearch.yml', settings);
  await writeFile(join(folder, 'log4j2.properties'), LOGGING.replace('%consoleException', ''));
}

async function writeSettings(folder: string, name: string, settings: ElasticsearchSettings): Promise<void> {
  await makeFolder(folder);
  const lines = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  await writeFile(join(folder, name), lines.join(''));
}
