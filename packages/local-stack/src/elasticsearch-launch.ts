import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './account.ts';
import { keepClassArchive, withClassArchive } from './class-archive.ts';
import type { Java } from './java.ts';
import { parseLaunchDescriptor } from './launch-descriptor.ts';
import { runTool as runToolAlone, type RunTool } from './run-tool.ts';
import type { Launch } from './server.ts';

/** Without the optimizing compiler, a short-lived Java process ends 0.7 s earlier. */
const PREPARER_OPTIONS = '-XX:TieredStopAtLevel=1';
/** What a start leaves behind that was killed meanwhile. `elasticsearch.keystore.tmp` would fail the next one. */
const UNFINISHED = /\.(tmp|new)$/;

export type LaunchOptions = {
  home: string;
  java: Java;
  config: string;
  tmp: string;
  /** Arguments of `bin/elasticsearch`. */
  args: string[];
  javaOptions: string;
  as: Account | undefined;
};

/**
 * The command line of the server. `bin/elasticsearch` computes it in three Java processes whenever it starts, which
 * takes 2 s. Here it is kept in the configuration folder until an option or a setting changes.
 */
export async function elasticsearchLaunch(options: LaunchOptions, runTool: RunTool = runToolAlone): Promise<Launch> {
  const { home, tmp, java } = options;
  const { command, jvmOptions, jvmArgs, env, workingDir, input } = parseLaunchDescriptor(await launchDescriptor(options, runTool));
  const archived = await withClassArchive(jvmOptions, { folder: join(home, '../class-archive'), tmp, java });
  const args = [...archived.jvmOptions, ...jvmArgs];
  // Without the archive, for example if the disk is full, the next start is only slower.
  const onStopped = (): Promise<void> => keepClassArchive(archived).catch(() => undefined);
  return { command, args, env, cwd: workingDir, input, onStopped };
}

/** The file begins with a hash of what it was prepared from. */
async function launchDescriptor(options: LaunchOptions, runTool: RunTool): Promise<Buffer> {
  const file = join(options.config, 'launch.bin');
  const key = await hashOf(options);
  const kept = await readFile(file).catch(() => Buffer.alloc(0));
  if (kept.subarray(0, key.length).equals(key)) return kept.subarray(key.length);
  const descriptor = await runPreparer(options, runTool);
  await writeFile(`${file}.new`, Buffer.concat([key, descriptor]), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return descriptor;
}

async function hashOf(options: LaunchOptions): Promise<Buffer> {
  const hash = createHash('sha256').update(JSON.stringify(options));
  for (const name of ['elasticsearch.yml', 'jvm.options']) hash.update(await readFile(join(options.config, name)));
  return hash.digest();
}

/** Runs what `bin/elasticsearch` runs before the server. */
async function runPreparer({ home, java, config, tmp, args, javaOptions, as }: LaunchOptions, runTool: RunTool): Promise<Buffer> {
  const unfinished = (await readdir(config)).filter((name) => UNFINISHED.test(name));
  for (const name of unfinished) await rm(join(config, name), { recursive: true, force: true });
  const env = {
    PATH: process.env['PATH'],
    HOME: tmp,
    LC_ALL: 'C',
    ES_JAVA_HOME: java.home,
    ES_PATH_CONF: config,
    ES_TMPDIR: tmp,
    ES_JAVA_OPTS: javaOptions,
    CLI_NAME: 'server',
    CLI_LIBS: 'lib/tools/server-cli',
    CLI_JAVA_OPTS: PREPARER_OPTIONS,
    ES_REDIRECT_STDOUT_TO_STDERR: 'true',
  };
  const command = join(home, 'bin/elasticsearch-cli');
  return runTool({ command, args, cwd: home, env, as, failure: 'Elasticsearch could not prepare its start' });
}
