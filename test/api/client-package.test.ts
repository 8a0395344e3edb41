import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startService, type Service } from '../support/processes/service.ts';
import { tokenOf } from '../support/http/tokens.ts';

const PACKAGE = fileURLToPath(new URL('../../packages/client/', import.meta.url));
const COMPILER = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

/** The strictest options that a project is likely to have; the declarations of the package are checked with them too. */
const COMPILER_OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: [],
};

const MISTAKES = `import { UgcClient, type Upload } from '@ugc/client';
const ugc = new UgcClient({ baseUrl: 'http://localhost:3000' });
const upload: Upload = { creatorId: 1, name: 'x', description: '', version: 1, data: '' };
export const mistakes = async () => {
  // @ts-expect-error A property of an upload is misspelt.
  await ugc.upload({ ...upload, nmae: 'y' });
  // @ts-expect-error A property of an upload is missing.
  await ugc.upload({ creatorId: 1, name: 'x' });
  // @ts-expect-error There is no such sort key.
  await ugc.listContent({ query: { sort: ['score'] } });
  // @ts-expect-error A parameter has another type.
  await ugc.listContent({ query: { highlight: 'yes' } });
  // @ts-expect-error A page without totals has none.
  (await ugc.list({ totals: false })).totalElements;
  // @ts-expect-error A property of a response is misspelt.
  return (await ugc.getContent({ path: { id: 1 } })).data.nmae;
};
`;

describe('the packed client, installed in an empty project', () => {
  let service: Service;
  let project: string;
  const run = async (file: string, ...options: string[]): Promise<string> =>
    (await promisify(execFile)(file, options, { cwd: project })).stdout;
  const compile = (...options: string[]): Promise<string> =>
    run(process.execPath, COMPILER, '-p', project, ...options).catch((error: { stdout: string }) => error.stdout);
  const runExample = (position: number): Promise<string> =>
    run(process.execPath, '--disable-warning=ExperimentalWarning', `example-${position}.ts`);

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'ugc-consumer-'));
    const write = (name: string, content: string): Promise<void> => writeFile(join(project, name), content);
    service = await startService();
    await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', project], { cwd: PACKAGE });
    const [tarball = ''] = (await readdir(project)).filter((name) => name.endsWith('.tgz'));
    await write('package.json', '{ "private": true, "type": "module" }');
    await run('npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', `./${tarball}`);
    await write('tsconfig.json', JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] }));
    await write('mistakes.ts', MISTAKES);
    const token = await tokenOf(1);
    const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8');
    for (const [position, [, example = '']] of [...readme.matchAll(/```ts\n(.*?)```/gs)].entries()) {
      const connected = example
        .replace("'http://localhost:3000'", JSON.stringify(service.client.baseUrl))
        .replace("'TOKEN'", JSON.stringify(token));
      expect(connected).not.toMatch(/localhost:3000|TOKEN/);
      await write(`example-${position + 1}.ts`, `${connected}\nexport {};\n`);
    }
  });
  afterAll(async () => {
    await service.stop();
    await rm(project, { recursive: true });
  });

  it('has no dependency', async () => {
    expect(await readdir(join(project, 'node_modules'))).toEqual(['.package-lock.json', '@ugc']);
    expect(await readdir(join(project, 'node_modules/@ugc/client'))).toEqual(['README.md', 'dist', 'package.json']);
  });

  it.each([['esnext', 'bundler'], ['nodenext']] as [string, string?][])(
    'is type-checked by the strictest options with modules for %s, and so are the examples of its README',
    async (module, resolution = module) => {
      expect((await readdir(project)).filter((name) => name.startsWith('example-')).length).toBe(5);
      expect(await compile('--module', module, '--moduleResolution', resolution)).toBe('');
    },
  );

  it('uploads an item, waits until lists show it, and finds it in spite of a typing error (example 1)', async () => {
    expect(await runExample(1)).toBe('item 1 is one of 1\n');
  });

  it('reads a list page by page (example 2)', async () => {
    expect(await runExample(2)).toBe("1 Lighthouse at dusk [ 'pixel art', 'wallpaper' ]\n");
  });

  it('edits an item unless it has been edited since (example 3)', async () => {
    expect(await runExample(3)).toBe('');
    expect((await service.client.get('/api/content/1')).body.name).toBe('Lighthouse at dusk, improved');
  });

  it('shows what is wrong at its field (example 4)', async () => {
    expect((await runExample(4)).split('\n').sort()).toEqual([
      '',
      '#/name must not be blank: it shows nothing',
      '#/version must be an integer from 0 to 2147483647',
      expect.stringMatching(/^400 [\w-]{36}$/),
    ]);
  });

  it('uploads once with the same key (example 5)', async () => {
    expect(await runExample(5)).toBe('true\n');
    const rows = await service.database.query(`select 1 from content where name = 'Row 7 of my import'`);
    expect(rows).toHaveLength(1);
  });
});
