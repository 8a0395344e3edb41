import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serverAccount } from '@ugc/local-stack/account';
import { installAnalysisPlugin } from '@ugc/local-stack/analysis-plugin';
import { keepClassArchive, withClassArchive } from '@ugc/local-stack/class-archive';
import { elasticsearchHome } from '@ugc/local-stack/elasticsearch-home';
import { elasticsearchLaunch, type LaunchOptions } from '@ugc/local-stack/elasticsearch-launch';
import { writeConfig } from '@ugc/local-stack/elasticsearch-config';
import { cacheFolder, prepareServerFolder } from '@ugc/local-stack/folders';
import { findJava } from '@ugc/local-stack/java';
import { parseLaunchDescriptor } from '@ugc/local-stack/launch-descriptor';
import { familyOf, killFamily } from '@ugc/local-stack/process-family';
import { commandLine } from '@ugc/local-stack/process-table';
import { execFile, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataFolder } from '../support/servers/data-folder.ts';
import { long } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';

let folder = '';
let options: LaunchOptions;
beforeAll(async () => {
  folder = await dataFolder('launch-');
  const as = serverAccount();
  const java = await findJava(process.env, as);
  const [config, data, tmp] = ['config', 'data', 'tmp'].map((name) => join(folder, name)) as [string, string, string];
  for (const each of [folder, config, data, tmp]) await prepareServerFolder(each, as);
  await writeConfig(config, settings());
  options = {
    home: await elasticsearchHome(java, cacheFolder()),
    java,
    config,
    tmp,
    args: ['-E', `path.data=${data}`],
    javaOptions: '-Xms64m -Xmx64m',
    as,
  };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function settings(port = 1): Record<string, string | number | boolean> {
  return { 'discovery.type': 'single-node', 'path.logs': join(folder, 'tmp'), 'http.port': port, 'xpack.security.enabled': false };
}

const launchFile = (): string => join(options.config, 'launch.bin');
const written = async (): Promise<number> => (await stat(launchFile())).mtimeMs;

const ARCHIVE = /^-Xbootclasspath|^-Xlog:cds|^-XX:(ArchiveClassesAtExit|SharedArchiveFile)=|^-XX:\+VerifySharedSpaces/;
const ENTITLEMENTS = /^--(patch-module=java.base=|add-reads=org.elasticsearch.entitlement=|add-exports=\S*org.elasticsearch.entitlement)/;
const withoutArchive = (words: string[]): string[] => words.filter((word) => !ARCHIVE.test(word) && !ENTITLEMENTS.test(word));

it('Elasticsearch is started with the command line of its own launcher, except for the archive of classes', async () => {
  const { command, args } = await elasticsearchLaunch(options);
  const [launchedCommand, ...launched] = await commandOfLauncher();
  expect([command, ...withoutArchive(args)]).toEqual([launchedCommand, ...withoutArchive(launched)]);
  expect(args.some((word) => ARCHIVE.test(word))).toBe(options.java.version >= 25);
  // A server that was left running is recognized by it.
  expect(args.join(' ')).toContain(folder);
});

long.it('the command line is prepared again when an option or a setting has changed, or its file is damaged, and only then', async () => {
  const { args: prepared } = await elasticsearchLaunch(options);
  const before = await written();
  await elasticsearchLaunch(options);
  expect(await written()).toBe(before);
  const { args } = await elasticsearchLaunch({ ...options, javaOptions: '-Xms65m -Xmx65m' });
  expect(args).toContain('-Xmx65m');
  await writeConfig(options.config, settings(2));
  const changed = await written();
  await elasticsearchLaunch(options);
  expect(await written()).toBeGreaterThan(changed);
  await truncate(launchFile(), 10);
  expect((await elasticsearchLaunch(options)).args).toEqual(prepared);
});

it('what is wrong with the arguments is said when the command line is prepared', async () => {
  const args = ['--no-such-option'];
  await expect(elasticsearchLaunch({ ...options, args })).rejects.toThrow(/could not prepare its start: .*is not a recognized option/s);
});

it('what a start left behind that was killed while it prepared does not fail the next one', async () => {
  const { command } = await elasticsearchLaunch(options);
  await rm(launchFile());
  for (const name of ['elasticsearch.keystore.tmp', 'launch.bin.new']) await writeFile(join(options.config, name), 'half');
  await rm(join(options.config, 'elasticsearch.keystore'), { force: true });
  expect((await elasticsearchLaunch(options)).command).toBe(command);
  expect((await readdir(options.config)).filter((name) => /\.(tmp|new)$/.test(name))).toEqual([]);
});

it('a launch descriptor in another format, or an incomplete one, is refused', async () => {
  await elasticsearchLaunch(options);
  const descriptor = (await readFile(launchFile())).subarray(32);
  expect(parseLaunchDescriptor(descriptor).command).toBe(join(options.java.home, 'bin/java'));
  const refused = [
    Buffer.from('another format'),
    descriptor.subarray(0, -1),
    descriptor.subarray(0, 200),
    Buffer.concat([descriptor, Buffer.from('x')]),
  ];
  for (const bytes of refused) expect(() => parseLaunchDescriptor(bytes)).toThrow('another format than that of version 9.5');
});

describe('a Java runtime', () => {
  /** A folder as that of a Java runtime: without the programs `javac` and `jar`. */
  async function runtime(name: string, release: string): Promise<string> {
    const home = join(folder, name);
    await mkdir(join(home, 'bin'), { recursive: true });
    await symlink(join(options.java.home, 'bin/java'), join(home, 'bin/java'));
    await writeFile(join(home, 'release'), release);
    return home;
  }
  const find = (ES_JAVA_HOME: string) => findJava({ ES_JAVA_HOME }, undefined);

  it('is enough: it compiles and packs the plugin', async () => {
    const home = await runtime('runtime', await readFile(join(options.java.home, 'release'), 'utf8'));
    const java = await find(home);
    expect(java).toEqual({ ...options.java, home });
    const copy = join(folder, 'elasticsearch');
    await mkdir(copy);
    await symlink(join(options.home, 'lib'), join(copy, 'lib'));
    await installAnalysisPlugin(copy, '9.5.0', java);
    const contents = async (elasticsearch: string) => {
      const jar = join(elasticsearch, 'plugins/ugc-analysis/ugc-analysis.jar');
      const { stdout } = await promisify(execFile)(join(options.java.home, 'bin/java'), [
        '-m',
        'jdk.jartool/sun.tools.jar.Main',
        '-tf',
        jar,
      ]);
      return stdout.split('\n').sort();
    };
    expect(await contents(copy)).toEqual(await contents(options.home));
    expect(await contents(copy)).toContain('ugc/analysis/StemmerFilterFactory.class');
  });

  it('whose file `release` does not name its modules is asked for them', async () => {
    const home = await runtime('no-modules', 'IMPLEMENTOR="Somebody"\n');
    expect(await find(home)).toEqual({ ...options.java, home });
  });

  it.each([
    ['without the compiler', 'JAVA_VERSION="21.0.5"\nMODULES="java.base jdk.jartool jdk.compiler.other"\n'],
    ['that is too old', 'JAVA_VERSION="17.0.15"\nMODULES="java.base jdk.compiler jdk.jartool"\n'],
  ])('%s is passed over', async (name, release) => {
    const home = await runtime(name, release);
    expect((await find(home)).home).not.toBe(home);
  });
});

describe('the archive of classes', () => {
  const launcherOptions = ['--patch-module=java.base=/bridge.jar', '-Xmx64m'];
  const archived = () => withClassArchive(launcherOptions, { folder: join(folder, 'archive'), tmp: folder, java: options.java });
  const run = promisify(execFile);

  it('is written when Java ends, and read from then on', async () => {
    if (options.java.version < 25) return;
    const first = await archived();
    expect(first.jvmOptions).toContain(`-XX:ArchiveClassesAtExit=${first.written}`);
    await keepClassArchive(first);
    expect((await archived()).written).toBe(first.written);
    await run(join(options.java.home, 'bin/java'), [`-XX:ArchiveClassesAtExit=${first.written}`, '-Xlog:disable', '-version']);
    await keepClassArchive(first);
    const second = await archived();
    expect(second.written).toBeUndefined();
    expect(second.jvmOptions).toContain(`-XX:SharedArchiveFile=${first.archive}`);
  });

  it('is not kept if Java has not written all of it', async () => {
    const written = join(folder, 'incomplete.jsa');
    await writeFile(written, Buffer.alloc(10_000));
    await keepClassArchive({ written, archive: join(folder, 'archive/incomplete.jsa') });
    await expect(stat(join(folder, 'archive/incomplete.jsa'))).rejects.toThrow('ENOENT');
  });

  it('is not used with a Java with which it was not tried', async () => {
    const java = { ...options.java, version: 24 };
    expect((await withClassArchive(launcherOptions, { folder, tmp: folder, java })).jvmOptions).toEqual(launcherOptions);
  });
});

/** The words of the command line that bin/elasticsearch starts the server with. */
async function commandOfLauncher(): Promise<string[]> {
  const { home, java, config, tmp, args, javaOptions, as } = options;
  const env = {
    PATH: process.env['PATH'],
    HOME: tmp,
    ES_JAVA_HOME: java.home,
    ES_PATH_CONF: config,
    ES_TMPDIR: tmp,
    ES_JAVA_OPTS: javaOptions,
  };
  const account = as && { uid: as.uid, gid: as.gid };
  const child = spawn(join(home, 'bin/elasticsearch'), args, { cwd: home, env, stdio: 'ignore', detached: true, ...account });
  const leader = child.pid ?? 0;
  const lineOfServer = () => familyOf(leader).map(({ pid }) => commandLine(pid)).find((line) => line.includes(' -m org.elasticsearch.server/')); // prettier-ignore
  try {
    await until('the launcher has started the server', () => lineOfServer() !== undefined);
    return lineOfServer()?.trim().split(' ') ?? [];
  } finally {
    await killFamily(leader);
  }
}
