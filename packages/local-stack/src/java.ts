import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { canEnter, type Account } from './account.ts';
import { StackError } from './stack-error.ts';

const MIN_VERSION = 21;
const COMMON_PLACES = [
  '/usr/lib/jvm/*',
  '/Library/Java/JavaVirtualMachines/*/Contents/Home',
  '/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home',
  '/usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home',
  join(homedir(), '.sdkman/candidates/java/*'),
];

export type Jdk = { home: string; version: number };

/**
 * The JDK of ES_JAVA_HOME if it is suitable, else the newest one found. Elasticsearch needs Java 21; its plugin needs
 * the compiler.
 */
export async function findJdk(env: NodeJS.ProcessEnv, as: Account | undefined): Promise<Jdk> {
  const chosen = env['ES_JAVA_HOME'] ? await jdksIn([env['ES_JAVA_HOME']], as) : [];
  const places = [env['JAVA_HOME'] ?? '', ...globSync(COMMON_PLACES), await homeOnPath(env)].filter((place) => place !== '');
  const found = chosen[0] ?? newest(await jdksIn(places, as));
  if (!found) throw noJdk(places);
  return found;
}

async function jdksIn(places: string[], as: Account | undefined): Promise<Jdk[]> {
  const homes = await Promise.all(places.filter((place) => existsSync(join(place, 'bin/javac'))).map((place) => realpath(place)));
  const usable = [...new Set(homes)].filter((home) => !as || canEnter(as, home));
  const jdks = await Promise.all(usable.map(async (home) => ({ home, version: await versionOf(home) })));
  return jdks.filter(({ version }) => version >= MIN_VERSION);
}

function newest(jdks: Jdk[]): Jdk | undefined {
  return jdks.toSorted((a, b) => b.version - a.version)[0];
}

async function versionOf(home: string): Promise<number> {
  const release = await readFile(join(home, 'release'), 'utf8').catch(() => '');
  const written = release.match(/^JAVA_VERSION="(\d+)/m)?.[1] ?? (await compilerVersion(home));
  return Number(written);
}

async function compilerVersion(home: string): Promise<string> {
  const output = promisify(execFile)(join(home, 'bin/javac'), ['-version']);
  return output.then(
    ({ stdout, stderr }) => (stdout + stderr).match(/javac (\d+)/)?.[1] ?? '0',
    () => '0',
  );
}

async function homeOnPath(env: NodeJS.ProcessEnv): Promise<string> {
  const folders = (env['PATH'] ?? '').split(delimiter);
  const java = folders.map((folder) => join(folder, 'java')).find((path) => existsSync(path));
  return java ? dirname(dirname(await realpath(java))) : '';
}

function noJdk(places: string[]): StackError {
  return new StackError(
    `The local Elasticsearch needs a JDK (not only a JRE) of version ${MIN_VERSION} or newer; none was found ` +
      `(checked ES_JAVA_HOME, JAVA_HOME, ${COMMON_PLACES.join(', ')} and java on PATH; too old or without javac: ${[...new Set(places)].join(', ') || 'none'}): ` +
      'install one (Debian: apt-get install openjdk-21-jdk-headless, macOS: brew install openjdk, or Temurin) or set ELASTICSEARCH_URL to a server of your own.',
  );
}
