import { createCommand, EXIT, runCommand } from '@ugc/shared/cli/command';
import { DEPENDENCY_PLUGIN } from '@ugc/local-stack/maven';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Release } from '../../test/run/history.ts';
import { declareFields } from '../../test/support/database/declared-fields.ts';
import { png } from '../../test/support/database/images.ts';
import { tokenOf } from '../../test/support/http/tokens.ts';
import { until } from '../../test/support/jest/until.ts';
import { startService, type Service } from '../../test/support/processes/service.ts';
import { withServers } from '../with-servers.ts';

const GENERATOR = 'openapi-generator-cli';
const GENERATOR_VERSION = '7.17.0';
/** Of both, the one that each generator reads right. */
const FOR_GENERATORS = '/openapi-3.0.json';
const PROGRAMS = join(CHECKOUT, 'tools/generated-clients');

/** What the programs read: BASE_URL, TOKEN, TAG, PICTURE, NEWER_ITEM and NEWER_DRAFT. */
type Surroundings = Record<string, string>;

type Language = {
  /** The name of the folder that contains the program. */
  name: string;
  /** Without it, the client is made of `/openapi.json`, and once more of that of each release: such clients must work until 2.0. */
  document?: '/openapi-3.0.json';
  /** The arguments of the generator. */
  generate: string[];
  /** The program, and where it is copied to in the folder of the client. */
  program: [from: string, to: string];
  /** Compiles client and program in the folder of the client, with what they depend on, and runs the program. */
  run(client: string, env: Surroundings): Promise<void>;
};

const LANGUAGES: Language[] = [
  {
    name: 'go',
    generate: ['-g', 'go', '--package-name', 'ugc', '--git-host', 'example.org', '--git-user-id', 'ugc', '--git-repo-id', 'client'],
    program: ['main.go', 'program/main.go'],
    run: async (client, env) => {
      await exec('go', ['mod', 'tidy'], client);
      await exec('go', ['vet', './program', '.'], client);
      await exec('go', ['build', '-o', 'run-program', './program'], client);
      await exec(join(client, 'run-program'), [], client, env);
    },
  },
  {
    name: 'python',
    generate: ['-g', 'python', '--package-name', 'ugc_client'],
    program: ['program.py', 'program.py'],
    run: async (client, env) => {
      await exec('python3', ['-m', 'venv', 'venv'], client);
      await exec('venv/bin/python', ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '.'], client);
      await exec('venv/bin/python', ['-m', 'compileall', '-q', 'ugc_client', 'program.py'], client);
      await exec('venv/bin/python', ['program.py'], client, env);
    },
  },
  ...['okhttp-gson', 'native'].map((library): Language => ({
    name: `java-${library}`,
    // Without it, a list has a positional argument for each of its parameters.
    generate: [
      '-g',
      'java',
      '--library',
      library,
      '--additional-properties',
      'useSingleRequestParameter=true,hideGenerationTimestamp=true',
    ],
    program: ['Program.java', 'src/main/java/Program.java'],
    run: async (client, env) => {
      await exec('mvn', ['-B', '-q', 'compile', `${DEPENDENCY_PLUGIN}:build-classpath`, '-Dmdep.outputFile=classpath.txt'], client);
      const dependencies = await readFile(join(client, 'classpath.txt'), 'utf8');
      await exec('java', ['-cp', `target/classes:${dependencies.trim()}`, 'Program'], client, env);
    },
  })),
  {
    name: 'rust',
    document: FOR_GENERATORS,
    generate: ['-g', 'rust', '--library', 'reqwest', '--package-name', 'ugc_client'],
    program: ['main.rs', 'src/bin/program.rs'],
    run: async (client, env) => {
      const manifest = await readFile(join(client, 'Cargo.toml'), 'utf8');
      const runtime = 'tokio = { version = "1", features = ["rt", "net", "time"] }';
      await writeFile(join(client, 'Cargo.toml'), manifest.replace(/^\[dependencies\]$/m, `$&\n${runtime}`));
      await exec('cargo', ['run', '--quiet', '--bin', 'program'], client, env);
    },
  },
  {
    name: 'typescript',
    document: FOR_GENERATORS,
    generate: ['-g', 'typescript-fetch'],
    program: ['program.ts', 'program.ts'],
    run: async (client, env) => {
      const types = ['--types', 'node', '--typeRoots', join(CHECKOUT, 'node_modules/@types')];
      const modules = ['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom'];
      await exec(join(CHECKOUT, 'node_modules/.bin/tsc'), ['--strict', '--noEmit', ...modules, ...types, 'program.ts'], client);
      const bundle = ['program.ts', '--bundle', '--platform=node', '--format=esm', '--outfile=program.mjs'];
      await exec(join(CHECKOUT, 'packages/web/node_modules/.bin/esbuild'), bundle, client);
      await exec(process.execPath, ['program.mjs'], client, env);
    },
  },
];

const command = createCommand({
  name: 'npx pnpm test:clients',
  description:
    `Makes clients of the API with openapi-generator ${GENERATOR_VERSION}, compiles them, and runs a program with each. Those of ` +
    'Go, Python and Java are also made of the document of each release, and must work with the present service.',
  exitCodes: {
    [EXIT.done]: 'every program ended well',
    [EXIT.badResult]: 'a client was not made, did not compile, or its program failed',
    [EXIT.usage]: 'the arguments are wrong',
    [EXIT.stopped]: 'stopped',
  },
  example: 'npx pnpm test:clients go python',
});
const names = LANGUAGES.map(({ name }) => name);
command
  .addArgument(command.createArgument('[languages...]', 'all unless given').choices(names).default(names, names.join(', ')))
  .action(async (chosen: string[]) => {
    const failed = await withServers(() => runAll(LANGUAGES.filter(({ name }) => chosen.includes(name))));
    if (failed > 0) process.exitCode = EXIT.badResult;
  });
await runCommand(command, (error) => ({ message: String(error instanceof Error ? error.stack : error), exitCode: EXIT.badResult }));

/** @returns how many have failed */
async function runAll(languages: Language[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'ugc-generated-'));
  const service = await startService();
  const picture = join(folder, 'picture.png');
  await writeFile(picture, png({ width: 32, height: 32 }));
  const env = { BASE_URL: service.url, TOKEN: await tokenOf(1), PICTURE: picture, ...(await storeNewer(service)) };
  const generator = await downloadGenerator(folder);
  let failed = 0;
  for (const language of languages) {
    for (const { of, text } of await documentsFor(language, service)) {
      const title = `${language.name}${of}`;
      const [client, document] = [join(folder, title), join(folder, `${title}.json`)];
      await writeFile(document, text);
      const place = { client, document, generator, env: { ...env, TAG: `generated-${title}` } };
      const error = await runOne(language, place).catch((failure: unknown) => failure);
      console.log(`${title}: ${error === undefined ? 'done' : `FAILED\n${String(error)}`}`);
      if (error !== undefined) failed += 1;
    }
  }
  await service.stop();
  await rm(folder, { recursive: true });
  return failed;
}

/** What programs of earlier releases meet without knowing it: an item with values of declared fields, and a draft. */
async function storeNewer({ client, database, indexed }: Service): Promise<Surroundings> {
  await declareFields(database, { licence: { type: 'keyword', searched: true } });
  // An index without items is made anew at once.
  await until('lists can be filtered', async () => (await client.get('/api/content?where=licence:copyleft')).status === 200);
  const item = await client.upload({ name: 'Newer harbour', fields: { licence: 'copyleft' } });
  const draft = await client.upload({ name: 'Newer draft', visibility: 'draft' });
  await indexed();
  return { NEWER_ITEM: String(item), NEWER_DRAFT: String(draft) };
}

type Document = { /** Ends the title of the client: `-1.0.0`. */ of: string; text: string };

async function documentsFor({ document }: Language, { client }: Service): Promise<Document[]> {
  const present = { of: '', text: (await client.request('GET', document ?? '/openapi.json')).text };
  if (document) return [present];
  const releases = JSON.parse(await readFile(join(CHECKOUT, 'releases.json'), 'utf8')) as Release[];
  const read = (version: string): Promise<string> => readFile(join(CHECKOUT, 'test/kept', version, 'openapi.json'), 'utf8');
  return [present, ...(await Promise.all(releases.map(async ({ version }) => ({ of: `-${version}`, text: await read(version) }))))];
}

type Place = { client: string; document: string; generator: string; env: Surroundings };

async function runOne({ name, generate, program: [from, to], run }: Language, { client, document, generator, env }: Place): Promise<void> {
  await exec('java', ['-jar', generator, 'generate', '-i', document, '-o', client, ...generate], PROGRAMS);
  await mkdir(dirname(join(client, to)), { recursive: true });
  await copyFile(join(PROGRAMS, name, from), join(client, to));
  await run(client, env);
}

async function downloadGenerator(folder: string): Promise<string> {
  const artifact = `org.openapitools:${GENERATOR}:${GENERATOR_VERSION}`;
  await exec('mvn', ['-B', '-q', `${DEPENDENCY_PLUGIN}:copy`, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], folder);
  return join(folder, `${GENERATOR}-${GENERATOR_VERSION}.jar`);
}

/** @throws Error with what the program has written */
async function exec(program: string, args: string[], cwd: string, env: Surroundings = {}): Promise<void> {
  await promisify(execFile)(program, args, { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1_024 * 1_024 }).catch(
    ({ message, stdout = '' }: Error & { stdout?: string }) => {
      throw new Error(`${message}\n${stdout}`);
    },
  );
}
