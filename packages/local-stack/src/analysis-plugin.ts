import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Java } from './java.ts';
import { StackError } from './stack-error.ts';

const NAME = 'ugc-analysis';
/** The programs `javac` and `jar` as modules: a Java runtime has no other ones. */
const COMPILER = 'jdk.compiler/com.sun.tools.javac.Main';
/** Not `--release`: it needs a file that not every runtime has. */
const COMPILER_OPTIONS = ['-proc:none', '-source', '21', '-target', '21'];
const PACKER = 'jdk.jartool/sun.tools.jar.Main';
const COMPONENTS = 'named_components.json';
const SOURCES = fileURLToPath(new URL('../analysis-plugin', import.meta.url));

const run = promisify(execFile);

/** A hash of the plugin's sources. */
export function pluginHash(): string {
  const hash = createHash('sha256');
  for (const file of [...javaFiles(), join(SOURCES, COMPONENTS)]) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 8);
}

/**
 * Adds the token filters that the index mapping names: the official image has them, the build on Maven Central does
 * not.
 */
export async function installAnalysisPlugin(home: string, version: string, java: Java): Promise<void> {
  const folder = join(home, 'plugins', NAME);
  await mkdir(folder, { recursive: true });
  // Only the program `javac` knows `lib/*`, its module does not.
  const classPath = globSync(join(home, 'lib/*.jar')).join(delimiter);
  await buildJar(join(folder, `${NAME}.jar`), classPath, java);
  await copyFile(join(SOURCES, COMPONENTS), join(folder, COMPONENTS));
  await writeFile(join(folder, 'stable-plugin-descriptor.properties'), descriptor(version));
}

async function buildJar(jar: string, classPath: string, { home }: Java): Promise<void> {
  const classes = `${jar}.classes`;
  const java = join(home, 'bin/java');
  try {
    await run(java, ['-m', COMPILER, ...COMPILER_OPTIONS, '-cp', classPath, '-d', classes, ...javaFiles()]);
    await run(java, ['-m', PACKER, '--create', '--file', jar, '-C', classes, '.']);
  } catch (error) {
    throw new StackError(`The plugin of the local Elasticsearch cannot be compiled with ${home}: ${(error as Error).message}`);
  }
  await rm(classes, { recursive: true });
}

function descriptor(version: string): string {
  const description = 'Token filters of the official image that the minimal build lacks';
  const lines = { name: NAME, description, version: '1.0.0', 'java.version': '21', 'elasticsearch.version': version };
  return Object.entries(lines)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

function javaFiles(): string[] {
  return globSync(join(SOURCES, '**/*.java')).sort();
}
