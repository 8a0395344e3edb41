import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { canEnter, type Account } from './account.ts';
import { StackError } from './stack-error.ts';

const MIN_VERSION = 21;
/** What compiles the plugin, and packs it. A runtime has them without a program `javac`. */
const MODULES = ['jdk.compiler', 'jdk.jartool'];
const COMMON_PLACES = [
  '/usr/lib/jvm/*',
  '/Library/Java/JavaVirtualMachines/*/Contents/Home',
  '/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home',
  '/usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home',
  join(homedir(), '.sdkman/candidates/java/*'),
];

export type Java = { home: string; version: number };

/** The Java of ES_JAVA_HOME if it is suitable, else the newest one found. A runtime is enough. */
export async function findJava(env: NodeJS.ProcessEnv, as: Account | undefined): Promise<Java> {
  const chosen = env['ES_JAVA_HOME'] ? await suitable([env['ES_JAVA_HOME']], as) : [];
  const places = [env['JAVA_HOME'] ?? '', ...globSync(COMMON_PLACES), await homeOnPath(env)].filter((place) => place !== '');
  const found = chosen[0] ?? newest(await suitable(places, as));
  if (!found) throw noJava([env['ES_JAVA_HOME'] ?? '', ...places]);
  return found;
}

async function suitable(places: string[], as: Account | undefined): Promise<Java[]> {
  const homes = await Promise.all(places.filter((place) => existsSync(join(place, 'bin/java'))).map((place) => realpath(place)));
  const usable = [...new Set(homes)].filter((home) => !as || canEnter(as, home));
  const described = await Promise.all(usable.map(async (home) => ({ home, ...(await describe(home)) })));
  return described
    .filter(({ version, isComplete }) => version >= MIN_VERSION && isComplete)
    .map(({ home, version }) => ({ home, version }));
}

function newest(found: Java[]): Java | undefined {
  return found.toSorted((a, b) => b.version - a.version)[0];
}

async function describe(home: string): Promise<{ version: number; isComplete: boolean }> {
  const release = await readFile(join(home, 'release'), 'utf8').catch(() => '');
  const described = release.includes('MODULES=') ? release : await listModules(home);
  const [, version = '0'] = described.match(/(?:^JAVA_VERSION="|^java\.base@)(\d+)/m) ?? [];
  const modules = new Set(described.split(/[\s"@]/));
  return { version: Number(version), isComplete: MODULES.every((name) => modules.has(name)) };
}

/** @returns a line for each module, such as `java.base@21.0.5` */
async function listModules(home: string): Promise<string> {
  return promisify(execFile)(join(home, 'bin/java'), ['--list-modules']).then(
    ({ stdout }) => stdout,
    () => '',
  );
}

async function homeOnPath(env: NodeJS.ProcessEnv): Promise<string> {
  const folders = (env['PATH'] ?? '').split(delimiter);
  const java = folders.map((folder) => join(folder, 'java')).find((path) => existsSync(path));
  return java ? dirname(dirname(await realpath(java))) : '';
}

function noJava(places: string[]): StackError {
  const unsuitable = [...new Set(places)].filter((place) => place !== '').join(', ') || 'none';
  return new StackError(
    `The local Elasticsearch needs a Java runtime of version ${MIN_VERSION} or newer, with the modules ${MODULES.join(' and ')}; none was found ` +
      `(checked ES_JAVA_HOME, JAVA_HOME, ${COMMON_PLACES.join(', ')} and java on PATH; too old or without these modules: ${unsuitable}): ` +
      'install one (Debian 13, Ubuntu: apt-get install openjdk-21-jre-headless; Debian 12, which has no Java 21: temurin-21-jdk of ' +
      'https://adoptium.net/installation/linux; macOS: brew install openjdk) or set ELASTICSEARCH_URL to a server of your own.',
  );
}
