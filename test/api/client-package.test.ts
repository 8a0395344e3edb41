import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { instantSearchClient } from '../../packages/client/src/instantsearch.ts';
import { UgcClient } from '../../packages/client/src/index.ts';
import { cachedFolder } from '@ugc/local-stack/artifacts';
import { cacheFolder } from '@ugc/local-stack/folders';
import algoliasearchHelper, { type PlainSearchParameters, type SearchResults } from 'algoliasearch-helper';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { breachesOfTypes } from '../support/compatibility/breaches.ts';
import { clientTypes } from '../support/compatibility/client-types.ts';
import { expectKept } from '../support/compatibility/kept.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { declareFields } from '../support/database/declared-fields.ts';
import { until } from '../support/jest/until.ts';
import { startService, type Service } from '../support/processes/service.ts';
import { tokenOf } from '../support/http/tokens.ts';

/** Later than the uploads of this file. */
const IN_AN_HOUR = Date.now() + 3_600_000;
/** More than a request of the service counts. */
const MANY_FIELDS = Array.from({ length: 9 }, (_, n) => `field${n}`);
/** Earlier than they. */
const DICE_AT = Date.parse('2026-03-01T12:00:00.123Z');

const PACKAGE = fileURLToPath(new URL('../../packages/client/', import.meta.url));
/** Of the packages of the tests. */
const PROGRAMS = fileURLToPath(new URL('../node_modules/.bin/', import.meta.url));
const BUNDLER = fileURLToPath(new URL('../../packages/web/node_modules/.bin/esbuild', import.meta.url));
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
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
};

const MISTAKES = `import { UgcClient, withOwnFields, type Upload } from '@ugc/client';
const ugc = new UgcClient({ baseUrl: 'http://localhost:3000' });
const upload: Upload = { creatorId: 1, name: 'x', description: '', version: 1, data: '' };
export const mistakes = async () => {
  // @ts-expect-error A property of an upload is misspelt.
  await ugc.upload({ ...upload, nmae: 'y' });
  // @ts-expect-error A thumbnail has another type.
  await ugc.upload({ ...upload, thumbnail: 7 });
  // @ts-expect-error A property of an edit is misspelt.
  await ugc.edit(1, () => ({ nmae: 'y' }));
  // @ts-expect-error A property of an upload is missing.
  await ugc.upload({ creatorId: 1, name: 'x' });
  // @ts-expect-error There is no such sort key.
  await ugc.listContent({ query: { sort: ['score'] } });
  // @ts-expect-error A parameter has another type.
  await ugc.listContent({ query: { highlight: 'yes' } });
  // @ts-expect-error A declared field has another type.
  await withOwnFields<{ players: number }>(ugc).upload({ ...upload, fields: { players: 'two' } });
  // @ts-expect-error A page without totals has none.
  (await ugc.list({ totals: false })).totalElements;
  // @ts-expect-error A property of a response is misspelt.
  return (await ugc.getContent({ path: { id: 1 } })).data.nmae;
};
`;

/** An index without items is made anew at once. */
async function declareBeforeItems({ database, client }: Service, more = {}): Promise<void> {
  await declareFields(database, { licence: { type: 'keyword' }, players: { type: 'number' }, ...more });
  await until('lists can be filtered', async () => (await client.get('/api/content?where=players:4')).status === 200);
}

describe('the packed client, installed in an empty project', () => {
  let service: Service;
  let project: string;
  const run = async (file: string, ...options: string[]): Promise<string> =>
    (await promisify(execFile)(file, options, { cwd: project })).stdout;
  const compileWith = (compiler: string, ...options: string[]): Promise<string> =>
    run(process.execPath, compiler, '-p', project, ...options).catch((error: { stdout: string }) => error.stdout);
  const compile = (...options: string[]): Promise<string> => compileWith(COMPILER, ...options);
  const runExample = (position: number): Promise<string> =>
    run(process.execPath, '--disable-warning=ExperimentalWarning', `example-${position}.ts`);

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'ugc-consumer-'));
    const write = (name: string, content: string): Promise<void> => writeFile(join(project, name), content);
    service = await startService();
    await declareBeforeItems(service);
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

  it.each([
    ['publint', 'run', '--strict'],
    ['attw', '--profile', 'esm-only', '--no-color'],
  ])('exports nothing that is not packed, and types for each way to resolve a module: %s %s %s', async (program, ...options) => {
    const [tarball = ''] = (await readdir(project)).filter((name) => name.endsWith('.tgz'));
    const problems = await run(join(PROGRAMS, program), ...options, tarball).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    );
    expect(problems).toBe('');
  });

  it('has no dependency', async () => {
    expect(await readdir(join(project, 'node_modules'))).toEqual(['.package-lock.json', '@ugc']);
    expect(await readdir(join(project, 'node_modules/@ugc/client'))).toEqual(['README.md', 'dist', 'package.json']);
  });

  it('keeps the exports and types of each release', () => {
    const entries = clientTypes(join(project, 'node_modules/@ugc/client'));
    expect(entries).toContain('@ugc/client Upload.name: string');
    expect(entries).toContain("@ugc/client SortKey: 'version'");
    expect(entries.some((entry) => entry.startsWith('@ugc/client UgcClient.getContent<'))).toBe(true);
    expectKept('client.json', [...new Set(entries)].toSorted(), breachesOfTypes);
  });

  it.each([['esnext', 'bundler'], ['nodenext']] as [string, string?][])(
    'is type-checked by the strictest options with modules for %s, and so are the examples of its README',
    async (module, resolution = module) => {
      expect((await readdir(project)).filter((name) => name.startsWith('example-')).length).toBe(9);
      expect(await compile('--module', module, '--moduleResolution', resolution)).toBe('');
    },
  );

  it.each(['5.0', '5.9'])('is type-checked by TypeScript %s, and so are the examples of its README', async (version) => {
    const compiler = join(await installed(`typescript@${version}`), 'typescript/bin/tsc');
    const options = ['--module', 'nodenext', '--moduleResolution', 'nodenext'];
    expect(await compileWith(compiler, ...options)).toBe('');
    await writeFile(join(project, 'wrong.ts'), "import { UgcClient } from '@ugc/client';\nexport const wrong: number = UgcClient;\n");
    expect(await compileWith(compiler, ...options)).toMatch(/^wrong\.ts.*error TS2322/);
    await rm(join(project, 'wrong.ts'));
  });

  it.each([20, 22, 24])('runs in Node.js %d, by import and by require', async (version) => {
    const node = join(await installed(`node@${version}`), 'node/bin/node');
    expect(await run(node, '--version')).toMatch(`v${version}.`);
    const call = `new UgcClient({ baseUrl: '${service.client.baseUrl}', token: '${await tokenOf(1)}' }).ensureOwnUser()
      .then(({ data }) => console.log(data.username, typeof instantSearchClient));`;
    const imports = ['UgcClient', '@ugc/client', 'instantSearchClient', '@ugc/client/instantsearch'] as const;
    await writeFile(
      join(project, 'by-import.mjs'),
      `import { ${imports[0]} } from '${imports[1]}';import { ${imports[2]} } from '${imports[3]}';${call}`,
    );
    await writeFile(
      join(project, 'by-require.cjs'),
      `const { ${imports[0]} } = require('${imports[1]}');const { ${imports[2]} } = require('${imports[3]}');${call}`,
    );
    for (const file of ['by-import.mjs', 'by-require.cjs']) expect(await run(node, '--no-warnings', file)).toBe('ada function\n');
  });

  it('is bundled for browsers by esbuild, in the size that its README says', async () => {
    await writeFile(join(project, 'entry.js'), "export { UgcClient } from '@ugc/client';\n");
    const bundle = await run(BUNDLER, 'entry.js', '--bundle', '--minify', '--format=esm', '--platform=browser', '--target=es2022');
    const { UgcClient: bundled } = (await import(`data:text/javascript,${encodeURIComponent(bundle)}`)) as { UgcClient: typeof UgcClient };
    const ugc = new bundled({ baseUrl: service.client.baseUrl, token: await tokenOf(1) });
    expect((await ugc.ensureOwnUser()).data.userId).toBe(1);
    const kilobytes = [bundle, gzipSync(bundle, { level: 9 })].map(({ length }) => Math.ceil(length / 1_000));
    const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8');
    expect(readme).toContain(`has ${kilobytes[0]} kB, ${kilobytes[1]} kB compressed.`);
  });

  it('uploads an item, waits until lists show it, and finds it in spite of a typing error (example 1)', async () => {
    expect(await runExample(1)).toBe('item 1 is one of 1\n');
  });

  it('reads a list page by page (example 2)', async () => {
    expect(await runExample(2)).toBe("1 Lighthouse at dusk [ 'pixel art', 'wallpaper' ]\n");
  });

  it('says that an item has no picture (example 3)', async () => {
    expect(await runExample(3)).toBe('item 1 has no picture\n');
  });

  it('edits an item, and waits until lists show it (example 4)', async () => {
    expect(await runExample(4)).toBe('Lighthouse at dusk, improved\n');
    const { name, tags } = (await service.client.get('/api/content/1?include=tags')).body;
    expect({ name, tags }).toEqual({ name: 'Lighthouse at dusk, improved', tags: ['pixel art', 'wallpaper', 'new'] });
  });

  it('tells the kind of an error, and what is wrong at its field (example 5)', async () => {
    expect((await runExample(5)).split('\n').sort()).toEqual([
      '',
      '#/name must not be blank: it shows nothing',
      '#/version must be an integer from 0 to 2147483647',
      expect.stringMatching(/^400 invalid-body [\w-]{36}$/),
    ]);
  });

  it('uploads once with the same key (example 6)', async () => {
    expect(await runExample(6)).toBe('true\n');
    const rows = await service.database.query(`select 1 from content where name = 'Row 7 of my import'`);
    expect(rows).toHaveLength(1);
  });

  it('is the search client of InstantSearch (example 7)', async () => {
    expect(await runExample(7)).toBe("Lighthouse at dusk, improved { tags: { new: 1, 'pixel art': 1, wallpaper: 1 } }\n");
  });

  it('reads a list that goes on after an error (example 8)', async () => {
    await until('lists show what example 6 has uploaded', async () => (await service.client.get('/api/content')).body.totalElements === 2);
    expect(await runExample(8)).toBe('2\n1\n');
  });

  it('has the types of declared fields', async () => {
    expect(await runExample(9)).toBe('Chess 2\n');
  });
});

/** Installs a package of the registry into the cache. @returns the folder of its modules */
async function installed(name: string): Promise<string> {
  const folder = await cachedFolder(name.replace('@', '-'), cacheFolder(), async (unfinished) => {
    await promisify(execFile)('npm', ['install', '--prefix', unfinished, '--no-audit', '--no-fund', '--silent', name]);
  });
  return join(folder, 'node_modules');
}

describe('algoliasearch-helper, on which InstantSearch is built, with the search client of the package', () => {
  let service: Service;
  let client: ReturnType<typeof instantSearchClient>;
  beforeAll(async () => {
    service = await startService();
    await declareBeforeItems(service, {
      released: { type: 'date' },
      ...Object.fromEntries(MANY_FIELDS.map((name) => [name, { type: 'keyword' }])),
      build: { type: 'group', many: true, of: { game: 'version', loader: 'keyword' } },
    });
    client = instantSearchClient(new UgcClient({ baseUrl: service.client.baseUrl, token: await tokenOf(1) }));
    await service.client.upload({
      name: 'Lighthouse <at> dusk',
      description: 'A harbour & boats',
      tags: ['pixel', 'sea'],
      fields: {
        licence: 'MIT',
        players: 2,
        ...Object.fromEntries(MANY_FIELDS.map((name) => [name, `of ${name}`])),
        build: [{ game: '1.20', loader: 'fabric' }],
      },
    });
    const build = [
      { game: '1.20', loader: 'quilt' },
      { game: '1.22', loader: 'fabric' },
    ];
    await service.client.upload({ name: 'Lighthouse keeper', tags: ['story', 'sea'], fields: { licence: 'CC0-1.0', players: 4, build } });
    await service.client.upload({ name: 'A harbour', description: 'No lighthouse', tags: ['pixel', '-minus'] }, 2);
    await storeContent(service.database, [{ name: 'Dice tower', tags: ['wood'], createdAt: '2026-03-01T12:00:00.123Z' }]);
    await service.client.send('PUT', '/api/content/2/rating', { score: 5 }, 3);
    await service.client.send('POST', '/api/content/4/downloads', undefined, 3);
    await service.indexed();
  });
  afterAll(() => service.stop());

  type Hit = { objectID: string; name: string; data?: string; _highlightResult: Record<string, any> };
  const search = async (state: PlainSearchParameters, index = 'relevance'): Promise<SearchResults<Hit>> => {
    const helper = algoliasearchHelper(client as never, index, state);
    return (await helper.searchOnce({})).content as SearchResults<Hit>;
  };
  const namesOf = ({ hits }: SearchResults<Hit>): string[] => hits.map(({ name }) => name);

  it('finds the best match first, marks it, and pages', async () => {
    const found = await search({ query: 'lighthuose', hitsPerPage: 2, highlightPreTag: '<b>', highlightPostTag: '</b>' });
    expect(found).toMatchObject({ nbHits: 3, nbPages: 2, page: 0, hitsPerPage: 2, query: 'lighthuose' });
    const first = found.hits.find(({ objectID }) => objectID === '1');
    expect(first).toMatchObject({ name: 'Lighthouse <at> dusk', tags: ['pixel', 'sea'] });
    expect(first?._highlightResult).toMatchObject({
      name: { value: '<b>Lighthouse</b> <at> dusk', matchLevel: 'full' },
      description: { value: 'A harbour & boats', matchLevel: 'none' },
      tags: [{ value: 'pixel', matchLevel: 'none' }, { value: 'sea' }],
    });
    expect(first).not.toHaveProperty('data');
    expect(namesOf(await search({ query: 'lighthuose', hitsPerPage: 2, page: 1 }))).toEqual(['A harbour']);
  });

  it('sorts by the name of the index', async () => {
    expect(namesOf(await search({ query: 'lighthouse' }, 'contentId,asc'))).toEqual([
      'Lighthouse <at> dusk',
      'Lighthouse keeper',
      'A harbour',
    ]);
  });

  it('counts facets, also those whose values are chosen from, with requests that want no hits', async () => {
    const found = await search({
      disjunctiveFacets: ['tags', 'creatorId'],
      disjunctiveFacetsRefinements: { tags: ['pixel', 'wood'], creatorId: ['1'] },
    });
    expect(namesOf(found).sort()).toEqual(['Dice tower', 'Lighthouse <at> dusk']);
    const values = (name: string) => Object.fromEntries((found.getFacetValues(name, {}) as any[]).map((each) => [each.name, each.count]));
    expect(values('tags')).toEqual({ pixel: 1, sea: 2, story: 1, wood: 1 });
    expect(values('creatorId')).toEqual({ '1': 2, '2': 1 });
  });

  it.each<[PlainSearchParameters, string[]]>([
    [{ facets: ['tags'], facetsRefinements: { tags: ['pixel', 'sea'] } }, ['Lighthouse <at> dusk']],
    [{ facets: ['tags'], facetsRefinements: { tags: ['\\-minus'] } }, ['A harbour']],
    [{ facets: ['tags'], facetsExcludes: { tags: ['sea', '\\-minus'] } }, ['Dice tower']],
    [{ facets: ['creatorId'], facetsExcludes: { creatorId: ['1'] } }, ['A harbour']],
    [{ numericRefinements: { avgRating: { '>=': [4], '<=': [5] } } }, ['Lighthouse keeper']],
    [{ numericRefinements: { downloadsCount: { '>=': [0], '<=': [1] }, createdAt: { '<': [IN_AN_HOUR] } }, query: 'dice' }, ['Dice tower']],
    [{ numericRefinements: { createdAt: { '>=': [IN_AN_HOUR] } } }, []],
    [{ facets: ['fields.licence'], facetsRefinements: { 'fields.licence': ['MIT'] } }, ['Lighthouse <at> dusk']],
    [
      { facets: ['fields.licence'], facetsExcludes: { 'fields.licence': ['MIT'] }, query: 'lighthouse' },
      ['Lighthouse keeper', 'A harbour'],
    ],
    [{ numericRefinements: { 'fields.players': { '>=': [3], '<=': [4] } } }, ['Lighthouse keeper']],
    [
      {
        facets: ['fields.build.loader'],
        facetsRefinements: { 'fields.build.loader': ['fabric'] },
        disjunctiveFacets: ['fields.build.game'],
        disjunctiveFacetsRefinements: { 'fields.build.game': ['1.20', '1.21'] },
      },
      ['Lighthouse <at> dusk'],
    ],
    [
      {
        disjunctiveFacets: ['fields.build.loader'],
        disjunctiveFacetsRefinements: { 'fields.build.loader': ['fabric', 'forge'] },
        numericRefinements: { 'fields.build.game': { '>=': [1.2], '<=': [1.21] } },
      },
      ['Lighthouse <at> dusk'],
    ],
    [{ facets: ['fields.build.loader'], facetsRefinements: { 'fields.build.loader': ['fabric', 'quilt'] } }, ['Lighthouse keeper']],
    [
      {
        facets: ['fields.build.game', 'fields.build.loader'],
        facetsExcludes: { 'fields.build.game': ['1.22'], 'fields.build.loader': ['quilt'] },
        query: 'lighthouse',
      },
      ['Lighthouse <at> dusk', 'A harbour'],
    ],
  ])('filters by %j', async (state, names) => expect(namesOf(await search(state))).toEqual(names));

  it.each<[condition: string, isFound: boolean]>([
    ...(['createdAt', 'updatedAt'] as const).flatMap((name): [string, boolean][] => [
      [`${name}<=${DICE_AT}`, true],
      [`${name}<=${DICE_AT}.5`, true],
      [`${name}<=${DICE_AT - 1}`, false],
      [`${name}<=${DICE_AT - 1}.5`, false],
      [`${name}<${DICE_AT}`, false],
      [`${name}<${DICE_AT}.5`, true],
      [`${name}<${DICE_AT + 1}`, true],
      [`${name}=${DICE_AT}`, true],
      [`${name} = ${DICE_AT - 1}`, false],
      [`${name}=${DICE_AT + 1}`, false],
      [`${name}>${DICE_AT}`, false],
      [`${name}>${DICE_AT - 1}`, true],
      [`${name}>${DICE_AT - 1}.5`, true],
      [`${name}>=${DICE_AT}`, true],
      [`${name}>=${DICE_AT}.5`, false],
      [`${name}>=-1`, true],
    ]),
    ['downloadsCount<=1', true],
    ['downloadsCount<=0.5', false],
    ['downloadsCount<1', false],
    ['downloadsCount<1.5', true],
    ['downloadsCount=1', true],
    ['downloadsCount=0', false],
    ['downloadsCount>1', false],
    ['downloadsCount>0', true],
    ['downloadsCount>=0.5', true],
    ['downloadsCount>=-5', true],
  ])('compares numbers and times as they are: %s', async (condition, isFound) => {
    const found = await client.search([{ params: { query: 'dice', numericFilters: [condition] } }]);
    expect(found.results.map(({ nbHits }) => nbHits)).toEqual([isFound ? 1 : 0]);
  });

  it('counts declared fields, also those whose values are chosen from, and sorts by them', async () => {
    const found = await search(
      { disjunctiveFacets: ['fields.licence'], disjunctiveFacetsRefinements: { 'fields.licence': ['MIT', 'CC0-1.0'] } },
      'fields.players,desc',
    );
    expect(namesOf(found)).toEqual(['Lighthouse keeper', 'Lighthouse <at> dusk']);
    expect(found.getFacetValues('fields.licence', { sortBy: ['name:asc'] })).toMatchObject([
      { name: 'CC0-1.0', count: 1 },
      { name: 'MIT', count: 1 },
    ]);
  });

  it('answers a widget of a range of a declared number or date, which has no counts', async () => {
    const attributes = ['fields.players', 'fields.released', 'fields.licence'];
    const found = await search({ disjunctiveFacets: attributes, numericRefinements: { 'fields.players': { '>=': [3] } } });
    expect(namesOf(found)).toEqual(['Lighthouse keeper']);
    expect(found.getFacetValues('fields.licence', {})).toMatchObject([{ name: 'CC0-1.0', count: 1 }]);
    await expect(search({ facets: ['fields.unknown'] })).rejects.toThrow('is not declared');
  });

  it('counts any number of declared fields, also if values of each are chosen', async () => {
    const attributes = MANY_FIELDS.map((name) => `fields.${name}`);
    const chosen = Object.fromEntries(attributes.map((name) => [name, [name.replace('fields.', 'of '), 'x']]));
    for (const state of [{ facets: attributes }, { disjunctiveFacets: attributes, disjunctiveFacetsRefinements: chosen }]) {
      const found = await search(state);
      for (const name of attributes)
        expect(found.getFacetValues(name, {})).toContainEqual(expect.objectContaining({ name: name.replace('fields.', 'of '), count: 1 }));
    }
  });

  it('answers the widgets of a range, whose attribute is a facet without values', async () => {
    const range = { disjunctiveFacets: ['downloadsCount', 'tags'], numericRefinements: { downloadsCount: { '>=': [1], '<=': [9] } } };
    const found = await search({ ...range, maxValuesPerFacet: 1 });
    expect(namesOf(found)).toEqual(['Dice tower']);
    expect(found.getFacetValues('tags', {})).toMatchObject([{ name: 'wood', count: 1 }]);
    expect(found.getFacetStats('downloadsCount')).toBeUndefined();
  });

  it('says how long a search took', async () => {
    const begunAt = performance.now();
    const { processingTimeMS } = await search({ query: 'dice' });
    const { processingTimeMS: lookUpMs } = (await client.searchForFacetValues([{ params: { facetName: 'tags' } }]))[0] ?? {};
    expect(processingTimeMS).toBeGreaterThan(0);
    expect(lookUpMs).toBeGreaterThan(0);
    expect(processingTimeMS + (lookUpMs ?? NaN)).toBeLessThanOrEqual(Math.ceil(performance.now() - begunAt) + 1);
  });

  it.each<[PlainSearchParameters, string]>([
    [{ filters: 'tags:sea' }, 'the service has no parameter filters'],
    [{ tagFilters: 'sea' }, 'no parameter tagFilters'],
    [{ tagRefinements: ['sea'] }, 'no parameter tagFilters'],
    [{ optionalFilters: ['tags:sea'], distinct: 1 }, 'no parameter distinct, no parameter optionalFilters'],
    [{ attributesToSnippet: ['description:20'] }, 'no parameter attributesToSnippet'],
    [{ aroundLatLng: '1,2' }, 'no parameter aroundLatLng'],
    [{ typoTolerance: false }, 'no parameter typoTolerance'],
    [{ hitsPerPage: 0, offset: 3 }, 'no parameter offset'],
    [{ disjunctiveFacets: ['version'] }, 'no facet version'],
    [{ facets: ['tags', 'licence', 'contentId'] }, 'no facet contentId, no facet licence'],
    [{ hierarchicalFacets: [{ name: 'of', attributes: ['tags.lvl0', 'tags.lvl1'] }] }, 'no facet tags.lvl0'],
    [{ numericRefinements: { downloadsCount: { '!=': [1] } } }, 'no filter for downloadsCount!=1'],
    [{ numericRefinements: { downloadsCount: { '=': [[1, 2]] } } }, 'no filter for downloadsCount=1,downloadsCount=2'],
    [{ numericRefinements: { downloadsCount: { '=': [1.5] } } }, 'not valid'],
    [{ numericRefinements: { avgRating: { '>': [4] } } }, 'no filter for avgRating>4'],
    [{ facets: ['version'], facetsRefinements: { version: ['1'] } }, 'no facet version'],
    [{ facets: ['avgRating'], facetsRefinements: { avgRating: ['5'] } }, 'no filter for avgRating:5'],
    [{ numericRefinements: { version: { '>': [1] } } }, 'no filter for version>1'],
    [{ facets: ['creatorId'], facetsRefinements: { creatorId: ['1', '2'] } }, 'only one filter creatorId'],
    [
      {
        facets: ['fields.build.loader'],
        facetsRefinements: { 'fields.build.loader': ['fabric', 'quilt'] },
        disjunctiveFacets: ['fields.build.game'],
        disjunctiveFacetsRefinements: { 'fields.build.game': ['1.20', '1.21'] },
      },
      'only one filter where',
    ],
  ])('refuses %j, which the service would ignore', async (state, message) => {
    await expect(search(state)).rejects.toThrow(message);
  });

  it('accepts parameters that change nothing in a result, and those without a value', async () => {
    const none = { filters: '', optionalFilters: [], tagFilters: undefined };
    const counted = { analytics: false, clickAnalytics: true, userToken: 'me', analyticsTags: ['site'] };
    expect(namesOf(await search({ query: 'dice', ...none, ...counted }))).toEqual(['Dice tower']);
  });

  it('refuses parameters beside `params`, where algoliasearch 5 has them too', async () => {
    await expect(client.search([{ query: 'dice' } as object])).rejects.toThrow('no property query of a request');
  });

  describe('looks up the values of tags', () => {
    const lookUp = async (query: string, max: number, state: PlainSearchParameters = {}) =>
      (await algoliasearchHelper(client as never, 'relevance', { facets: ['tags'] }).searchForFacetValues('tags', query, max, state))
        .facetHits;

    it('that begin with a text, as many as are wanted', async () => {
      expect(await lookUp('se', 10)).toMatchObject([{ value: 'sea', count: 2, isRefined: false }]);
      expect(await lookUp('', 1)).toMatchObject([{ count: 2 }]);
    });

    it.each<[PlainSearchParameters, string]>([
      [{ filters: 'tags:sea' }, 'no parameter filters'],
      [{ facets: ['tags', 'version'] }, 'no facet version'],
      [{ facetingAfterDistinct: true }, 'no parameter facetingAfterDistinct'],
    ])('and refuses %j', async (state, message) => {
      await expect(lookUp('se', 10, state)).rejects.toThrow(message);
    });

    it('and of no other facet', async () => {
      const request = { params: { facetName: 'creatorId' } };
      await expect(client.searchForFacetValues([request])).rejects.toThrow('does not look up values of creatorId');
    });
  });
});
