import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withLock } from '@ugc/local-stack/lock';
import { choosePorts, FREE_PORTS } from '@ugc/local-stack/ports';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { readStorePorts } from '@ugc/local-stack/settings';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { drawChart } from '../../tools/bench/chart/chart.ts';
import { toMarkdown } from '../../tools/bench/chart/markdown.ts';
import { toPanels } from '../../tools/bench/chart/panels.ts';
import { mergeFigures, readRun, type SavedRun, saveRun } from '../../tools/bench/chart/saved-run.ts';
import type { Figure } from '../../tools/bench/table/figure.ts';
import { FOLDERS, GENERATED } from '../../tools/mutants/generated/files.ts';
import { generateMutants } from '../../tools/mutants/generated/generate.ts';
import { sample } from '../../tools/mutants/generated/run-generated.ts';
import { readSurvivors, staleIn } from '../../tools/mutants/generated/survivors.ts';
import { MUTANTS } from '../../tools/mutants/index.ts';
import { type Mutant, mutate } from '../../tools/mutants/mutant.ts';
import { readDemoDocuments, readDemoPrompts } from '../relevance/demo-prompts.ts';
import { type KnownItem, knownItems } from '../relevance/known-items.ts';
import { mean, ndcg, recall, reciprocalRank } from '../relevance/measures.ts';
import { chooseFiles } from '../run/choose-files.ts';
import { readHistory } from '../run/history.ts';
import { LONG_FILES, LONG_TESTS } from '../run/long-tests.ts';
import { selectLongTests } from '../run/select-long-tests.ts';

/** @returns undefined if the mutant can be applied and its test exists */
function problemOf(mutant: Mutant): string | undefined {
  try {
    mutate(readFileSync(join(CHECKOUT, mutant.file), 'utf8'), mutant);
  } catch (error) {
    return (error as Error).message;
  }
  return existsSync(join(CHECKOUT, 'test', `${mutant.test}.test.ts`)) ? undefined : `${mutant.test} is no test`;
}

it('every mutant quotes a text that occurs exactly once, and names a test', () => {
  expect(MUTANTS.map(problemOf).filter((problem) => problem !== undefined)).toEqual([]);
});

describe('each limit of prompts and searches', () => {
  const LIMIT = /^(?:export )?const (MAX_\w+|\w+_MAX(?:_\w+)?) = /gm;
  const limits = globSync('{packages/text,services/api}/src/**/*.ts', { cwd: CHECKOUT })
    .filter((file) => file.startsWith('packages/text/') || file.includes('/search/'))
    .flatMap((file) => Array.from(readFileSync(join(CHECKOUT, file), 'utf8').matchAll(LIMIT), ([, name = '']) => ({ file, name })));
  const isReached = ({ file, name }: { file: string; name: string }): boolean =>
    file in GENERATED || MUTANTS.some((mutant) => mutant.file === file && `${mutant.within} ${mutant.from}`.split(/\W+/).includes(name));

  it('has a mutant that a test detects', () => {
    expect(limits.length).toBeGreaterThan(80);
    expect(limits.filter((limit) => !isReached(limit))).toEqual([]);
  });
});

describe('the mutants that are made by machine', () => {
  const changesOf = (source: string): string[] => generateMutants(source).map(({ from, to }) => `${from} → ${to}`);

  it.each<[string, string, string[]]>([
    ['a condition is always or never true', 'if (a()) b;', ['a() → true', 'a() → false', 'b; → ;']],
    ['a choice is always the one or the other', 'const f = () => (a ? b : c);', ['a ? b : c → b', 'a ? b : c → c']],
    ['a comparison includes its limit, or does not', 'const f = () => [a < b];', ['[a < b] → []', 'a < b → a <= b']],
    ['an answer is both truths', 'const f = () => a === b;', ['a === b → true', 'a === b → false']],
    ['one of two conditions is missing', 'const x = a && b;', ['a && b → a', 'a && b → b']],
    ['arithmetic is another', 'const x = a + b * c;', ['a + b * c → a - b * c', 'b * c → b / c']],
    ['a limit is doubled', 'const MAX_ONES = 5;', ['MAX_ONES = 5 → MAX_ONES = 2 * 5']],
    ['another number is one more', 'a.at(-1);', ['a.at(-1); → ;', 'a.at(-1) → a.at(-2)']],
    ['a text is empty', "const f = () => g('a');", ["g('a') → g('')"]],
    ['a boolean is the other one', 'const x = true;', ['true → false']],
    ['a statement is missing', 'a.push(b);', ['a.push(b); → ;']],
    ['what a loop counts stays, since it would not end', 'for (; a < b;) a += c;', ['a < b → a <= b']],
    ['what a loop counts stays, since it would not end', 'for (; a < b; a += c);', ['a < b → a <= b']],
    ['a function returns nothing', 'function f(): string[] { return g(); }', ['{ … } → { return []; }']],
    [
      'an element of a list is missing, with its comma',
      'const x = [a, b, c];',
      ['[a, b, c] → [b, c]', '[a, b, c] → [a, c]', '[a, b, c] → [a, b]'],
    ],
    ['a step of a chain is missing', 'const x = a.filter(b);', ['a.filter(b) → a']],
    ['a list keeps what it has twice', 'const x = [...new Set(a)];', ['...new Set(a) → ...a']],
    ['an anchor is missing', 'const x = /^a$/;', ['/^a$/ → /a$/', '/^a$/ → /^a/']],
    [
      'an alternative is missing',
      'const x = /(?:a|b|c)/;',
      ['/(?:a|b|c)/ → /(?:b|c)/', '/(?:a|b|c)/ → /(?:a|c)/', '/(?:a|b|c)/ → /(?:a|b)/'],
    ],
    ['a look-around is missing', 'const x = /a(?!b)/;', ['/a(?!b)/ → /a/']],
    ['a part of a class is missing', 'const x = /[a-cx]/;', ['/[a-cx]/ → /[x]/', '/[a-cx]/ → /[a-c]/']],
    [
      'a part that is a code is complete',
      String.raw`const x = /[\0-\x7f\u{ff}]/u;`,
      [String.raw`/[\0-\x7f\u{ff}]/u → /[\u{ff}]/u`, String.raw`/[\0-\x7f\u{ff}]/u → /[\0-\x7f]/u`],
    ],
    ['a number of repetitions is another', 'const x = /a{2,}/;', ['/a{2,}/ → /a{3,}/', '/a{2,}/ → /a{1,}/']],
    ['also in a part of a regular expression', 'const x = String.raw`${A}+`;', ['String.raw`${A}+` → String.raw`${A}`']],
    [
      'types, imports, empty texts and fallbacks stay',
      "import a from 'a';\ntype A = 'a';\nconst x = b ?? '';",
      ["b ?? '' → b", "b ?? '' → ''"],
    ],
  ])('%s', (_, source, changes) => expect(changesOf(source)).toEqual(changes));

  it('leave no hole in a list, and can be parsed', () => {
    expect(changesOf('const x = [a, b];')).not.toContain('[a, b] → [, b]');
    for (const { source } of generateMutants('const x = [a, b,];\nconst y = [/a|b/, ...c];')) expect(source).not.toMatch(/[[,]\s*,/);
  });

  it('are known by function and text, and by their number where a function has the text twice', () => {
    const source = 'function f() { g(1); g(1); }\nfunction h() { g(1); }';
    const known = generateMutants(source).filter(({ to }) => to === 'g(2)').map(({ within, nth }) => [within, nth]); // prettier-ignore
    expect(known).toEqual([['f', 1], ['f', 2], ['h', 1]]); // prettier-ignore
    expect(generateMutants(`// Another line.\n${source}`).map(({ source: _, ...one }) => one)).toEqual(
      generateMutants(source).map(({ source: _, ...one }) => one),
    );
  });

  it('of a sample are always the same, whatever else the file has', () => {
    const [few, more] = ['const x = [a, b, c, d, e];', 'const x = [a, b, c, d, e];\nconst y = f;'].map(generateMutants);
    expect(sample(few ?? [], 3)).toHaveLength(3);
    expect(sample(more ?? [], 3).map(({ to }) => to)).toEqual(sample(few ?? [], 3).map(({ to }) => to));
  });

  it('that survive are in a list with a reason, by a text that their file has', () => {
    const survivors = readSurvivors();
    const files = Object.keys(survivors);
    expect(files.filter((file) => !(file in GENERATED))).toEqual([]);
    expect(files.flatMap((file) => staleIn(survivors, file, generateMutants(readFileSync(join(CHECKOUT, file), 'utf8'))))).toEqual([]);
    const reasons = Object.values(survivors).flatMap((byFunction) => Object.values(byFunction).flat());
    expect(reasons.filter(({ reason }) => reason.trim() === '')).toEqual([]);
  });

  it('a survivor whose text has changed is reported', () => {
    const survivors = { 'a.ts': { f: [{ from: 'g(1)', to: 'g(2)', reason: 'the same' }] } };
    expect(staleIn(survivors, 'a.ts', generateMutants('function f() { g(1); }'))).toEqual([]);
    expect(staleIn(survivors, 'a.ts', generateMutants('function f() { g(3); }'))).toEqual(['a.ts, f: g(1) → g(2)']);
    const all = { 'a.ts': { f: [{ all: true as const, reason: 'only for speed' }] } };
    expect(staleIn(all, 'a.ts', generateMutants('function f() { g(3); }'))).toEqual([]);
    expect(staleIn(all, 'a.ts', generateMutants('function h() { g(3); }'))).toEqual(['a.ts, f: all']);
  });

  it('are made of each file of their folders', () => {
    const files = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: CHECKOUT }));
    expect(files.length).toBeGreaterThan(35);
    expect(files.filter((file) => !(file in GENERATED))).toEqual([]);
  });

  it('are those of files that exist, with tests that exist', () => {
    expect(Object.keys(GENERATED).filter((file) => !existsSync(join(CHECKOUT, file)))).toEqual([]);
    const tests = Object.values(GENERATED).flatMap((covered) => covered.tests);
    expect(tests.filter((test) => !existsSync(join(CHECKOUT, 'test', `${test}.test.ts`)))).toEqual([]);
  });
});

const TABLE = { 'services/api/src/search/': ['api/a.test.ts'], 'services/api/src/search/pages/': ['api/b.test.ts'], 'packages/web/': [] };

describe('the long tests that run after a change', () => {
  it.each<[string, string[] | undefined, string[] | 'all']>([
    ['of a source are those of its row', ['services/api/src/search/list.ts'], ['api/a.test.ts']],
    ['of a source in several rows are those of the longest', ['services/api/src/search/pages/x.ts'], ['api/b.test.ts']],
    ['of several sources contain each file once', ['services/api/src/search/a.ts', 'services/api/src/search/b.ts'], ['api/a.test.ts']],
    ['of a source that cannot break any are none', ['packages/web/src/page/main.tsx', 'docs/api.md', 'README.md'], []],
    ['of a source without a row are none', ['packages/new/main.ts', 'services/new/main.ts'], []],
    ['of a test file are its own', ['test/pipeline/faults/redis.test.ts'], ['pipeline/faults/redis.test.ts']],
    ['of nothing are none', [], []],
    ['that is not known, because there is no history, are all', undefined, 'all'],
  ])('%s', (_, changed, expected) => {
    expect(selectLongTests(changed, TABLE)).toEqual(expected);
  });
});

it('a run beside another one in the same checkout counts its own tests, and leaves the counts and the record of the other alone', async () => {
  const read = (name: string) => (existsSync(process.env[name] ?? '') ? readFileSync(process.env[name] ?? '', 'utf8') : '');
  const [counts, record] = [read('TEST_COUNTS'), read('TEST_RECORD')];
  const args = ['run/run.ts', '^unit/languages', '-t', 'no test has this name'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: join(CHECKOUT, 'test') });
  expect(stdout).toMatch(/^0 passed, 0 failed$/m);
  expect(read('TEST_COUNTS')).toBe(counts);
  // Files that run beside this one may have added lines.
  expect(read('TEST_RECORD').slice(0, record.length)).toBe(record);
});

describe('the files of a run', () => {
  const [long = ''] = LONG_FILES;
  const all = ['unit/a.test.ts', 'promises/b.test.ts', 'pipeline/faults/c.test.ts', long];

  it.each<[string, string[], string[] | 'all', string[]]>([
    ['are all but those of long tests only', [], [], ['unit/a.test.ts', 'pipeline/faults/c.test.ts']],
    ['contain those that the change can break', [], [long], ['unit/a.test.ts', 'pipeline/faults/c.test.ts', long]],
    ['are all with all long tests', [], 'all', ['unit/a.test.ts', 'pipeline/faults/c.test.ts', long]],
    ['are those that a pattern matches', ['faults/', 'unit/b'], [], ['pipeline/faults/c.test.ts']],
    ['contain one of long tests only if a pattern names it', [long], [], [long]],
  ])('%s', (_, patterns, longTests, files) => {
    expect(chooseFiles(all, { patterns, longTests }).files).toEqual(files);
  });

  it('of promises run apart', () => {
    expect(chooseFiles(all, { patterns: [], longTests: [] }).promises).toEqual(['promises/b.test.ts']);
  });
});

describe('the table of long tests', () => {
  const inTest = globSync('{api,unit,browser,environments,model,pipeline,pipeline/faults,promises,relevance}/*.test.ts', {
    cwd: `${CHECKOUT}test`,
  });
  const named = new Set(Object.values(LONG_TESTS).flat());
  const batches = readHistory({ commits: 150, batch: 10 });

  it('has rows of sources that exist', () => {
    const sources = globSync('{deploy,services,packages,test/{model,relevance,support}}/**/*.*', {
      cwd: CHECKOUT,
      exclude: ['**/node_modules/**'],
    });
    const paths = [...sources, 'pnpm-lock.yaml', 'CONTRIBUTING.md', 'docs/upgrading.md', 'releases.json'];
    expect(Object.keys(LONG_TESTS).filter((row) => !paths.some((path) => path.startsWith(row)))).toEqual([]);
  });

  it('has a row of each folder of the services and of what they share', () => {
    const folders = globSync('{services/*,packages/{items,shared,text}}/src/*/', { cwd: CHECKOUT });
    const rows = Object.keys(LONG_TESTS);
    expect(folders.filter((folder) => !rows.some((row) => row.startsWith(`${folder}/`)))).toEqual([]);
  });

  it('names every test file that has long tests, and no other', () => {
    const isLong = (file: string): boolean => /\b(long\.|rows\(|runs\(|rounds\(\))/.test(readFileSync(`${CHECKOUT}test/${file}`, 'utf8'));
    expect([...named].toSorted()).toEqual(inTest.filter((file) => LONG_FILES.includes(file) || isLong(file)).toSorted());
  });

  it('selects everything for at most two of the last batches of ten commits', () => {
    const complete = batches.filter((changed) => [...named].every((file) => selectLongTests(changed).includes(file)));
    expect(complete.length).toBeLessThanOrEqual(2);
  });
});

describe('bench chart', () => {
  const LISTS = { unit: 'requests/s', limitedBy: 'the same searches', goal: { atLeast: 0.8 } } as const;
  const RUN: SavedRun = {
    items: 1_000,
    rounds: 3,
    cores: 2,
    figures: [
      { ...LISTS, path: 'list of 10', rounds: rounds(0.7, 0.9, 0.8), details: { failed: 0 } },
      { path: 'get one', unit: 'requests/s', limitedBy: 'one statement', goal: { atLeast: 0.5 }, rounds: rounds(0.9) },
      { ...LISTS, path: 'list & prompt', rounds: rounds(0.7) },
      { path: 'backlog', unit: 's', limitedBy: '2 s', goal: { atMost: 1 }, rounds: rounds(0) },
      { path: 'upload, p99', unit: 'ms', limitedBy: 'itself', goal: { atMost: 16 }, rounds: rounds(12) },
    ],
  };

  function rounds(...ratios: number[]): Figure['rounds'] {
    return ratios.map((ratio) => ({ ours: 100 * ratio, limit: 100 }));
  }

  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'bench-chart-'))));
  afterAll(() => rm(folder, { recursive: true }));

  describe('the chart', () => {
    it('of a saved run names each path, its ratio and its goal, and is the same for the same run', async () => {
      const file = join(folder, 'run.json');
      await saveRun(file, RUN);
      const svg = await drawChart([await readRun(file)]);
      for (const words of ['list of 10', 'get one', 'list &amp; prompt', 'backlog', 'upload, p99', '0.80', '≥ 0.8', '12.00', '≤ 16'])
        expect(svg).toContain(`>${words}</text>`);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      expect(await drawChart([RUN])).toBe(svg);
    });

    it('separates figures of which more is better from those of which less is better', () => {
      const panels = toPanels(RUN.figures);
      expect(panels.map(({ better, scale }) => [better, scale])).toEqual([
        ['more', 'linear'],
        ['less', 'log'],
      ]);
      expect(panels.map(({ rows }) => rows.map(({ path }) => path))).toEqual([
        ['list of 10', 'list & prompt', 'get one'],
        ['backlog', 'upload, p99'],
      ]);
    });

    it('shows which figures reach their goals, and each limit once', () => {
      const rows = toPanels(RUN.figures).flatMap((panel) => panel.rows);
      expect(rows.map(({ path, reached }) => [path, reached])).toEqual([
        ['list of 10', true],
        ['list & prompt', false],
        ['get one', true],
        ['backlog', true],
        ['upload, p99', true],
      ]);
      expect(rows.map(({ limit }) => limit)).toEqual(['the same searches', '', 'one statement', '2 s', 'itself']);
    });

    it('has axes that contain every ratio and every goal', () => {
      for (const { domain, rows } of toPanels(RUN.figures)) {
        const shown = rows.flatMap(({ lowest, highest, goal }) => [lowest, highest, goal]);
        // The backlog of 0 has no place on a logarithmic axis, and is drawn at its end.
        expect(Math.min(...shown.filter((ratio) => ratio > 0))).toBeGreaterThanOrEqual(domain[0]);
        expect(Math.max(...shown)).toBeLessThanOrEqual(domain[1]);
      }
    });
  });

  it('a figure of a later run takes the place of that with the same path', () => {
    const later = { ...LISTS, path: 'list of 10', rounds: rounds(0.99) };
    const added = { ...LISTS, path: 'list of 100', rounds: rounds(0.5) };
    const merged = mergeFigures([RUN, { ...RUN, figures: [added, later] }]);
    expect(merged).toEqual([later, ...RUN.figures.slice(1), added]);
  });

  it('the Markdown contains a line per figure and a line for its details', () => {
    const lines = toMarkdown(RUN.figures).split('\n');
    expect(lines).toContain('| list of 10 | the same searches | requests/s | 80 | 100 | 0.80 | 0.70 to 0.90 | ≥ 0.8 | yes |');
    expect(lines).toContain('| list & prompt | the same searches | requests/s | 70 | 100 | 0.70 | 0.70 to 0.70 | ≥ 0.8 | **no** |');
    expect(lines).toContain('| list of 10 | 0 |');
  });

  describe('a file that is no saved run is refused with the reason:', () => {
    it.each([
      ['no JSON', '{', 'must be a JSON file'],
      ['no figures', JSON.stringify({ ...RUN, figures: [] }), 'figures: '],
      ['a limit of zero', JSON.stringify(RUN).replace('"limit":100', '"limit":0'), 'figures.0.rounds.0.limit: '],
    ])('%s', async (_, content, reason) => {
      const file = join(folder, 'bad.json');
      await writeFile(file, content);
      await expect(readRun(file)).rejects.toThrow(reason);
    });
  });
});

// log2(2) = 1, log2(3) = 1.58496, log2(4) = 2: the discounts of the first three ranks.
const GRADES = new Map(Object.entries({ best: 2, good: 1, other: 1 }));

describe('nDCG divides the discounted gain by that of the best possible order of all judged documents', () => {
  it.each([
    ['the best possible order is 1', ['best', 'good', 'other', 'unknown'], 1],
    ['documents without a grade keep their rank and add nothing', ['unknown', 'best'], 0.40303],
    ['the best document at the second rank counts less', ['good', 'best', 'other'], 0.88212],
    ['nothing that was found is relevant', ['unknown'], 0],
    ['nothing was found', [], 0],
  ])('%s', (_, ranked, expected) => expect(ndcg(ranked, GRADES)).toBeCloseTo(expected, 5));

  it('only the first ten ranks count', () => {
    const others = Array.from({ length: 10 }, (_, n) => `unknown ${n}`);
    expect(ndcg([...others, 'best'], GRADES)).toBe(0);
    expect(ndcg([...others.slice(1), 'best'], GRADES)).toBeCloseTo(2 / Math.log2(11) / 3.13093, 5);
  });
});

it('recall is the share of the relevant documents among the first twenty', () => {
  const others = Array.from({ length: 19 }, (_, n) => `unknown ${n}`);
  expect(recall([...others, 'best', 'good'], GRADES)).toBeCloseTo(1 / 3, 10);
  expect(recall(['other', 'good', 'best'], GRADES)).toBe(1);
  expect(recall(['best'], new Map(Object.entries({ best: 1, judgedIrrelevant: 0 })))).toBe(1);
});

it('the reciprocal rank is zero beyond the tenth rank', () => {
  const others = Array.from({ length: 10 }, (_, n) => `unknown ${n}`);
  expect(reciprocalRank(['a', 'b', 'c', 'd'], 'd')).toBe(1 / 4);
  expect(reciprocalRank([...others.slice(1), 'item'], 'item')).toBe(1 / 10);
  expect(reciprocalRank([...others, 'item'], 'item')).toBe(0);
});

it('the mean counts every value once', () => expect(mean([1, 0, 0.5])).toBe(0.5));

const documents = await readDemoDocuments();
const items = knownItems(documents, 100);

it('every judged prompt names items of the demo collection', async () => {
  const prompts = await readDemoPrompts();
  expect(prompts.length).toBeGreaterThanOrEqual(60);
  expect(new Set(prompts.map(({ kind, prompt }) => `${kind}: ${prompt}`)).size).toBe(prompts.length);
});

it('the names of the demo items are unique, because judgments identify items by name', () => {
  expect(new Set(documents.map(({ id }) => id)).size).toBe(documents.length);
});

it('each item of the demo collection has a picture, and each picture an item', async () => {
  const demo = new URL('../../services/api/demo/', import.meta.url);
  const named = (JSON.parse(await readFile(new URL('collection.json', demo), 'utf8')) as { items: { picture: string }[] }).items;
  expect((await readdir(new URL('pictures/', demo))).sort()).toEqual([...new Set(named.map(({ picture }) => `${picture}.webp`))].sort());
});

it('the same collection gives the same known items', () => {
  expect(items).toHaveLength(100);
  expect(knownItems(documents, 100)).toEqual(items);
});

it('a known item is asked for by one to three words of its title', () => {
  const counts = items.map(({ id, clean }) => {
    const words = clean.split(' ');
    for (const word of words) expect(id.toLowerCase()).toContain(word);
    return words.length;
  });
  expect(new Set(counts)).toEqual(new Set([1, 2, 3]));
});

it('a misspelt prompt has one wrong word with the right first letter', () => {
  for (const { clean, misspelt } of items) {
    const words = clean.split(' ');
    const wrong = misspelt.split(' ').flatMap((word, n) => (word === words[n] ? [] : [[word, words[n] ?? ''] as const]));
    expect(wrong).toHaveLength(1);
    for (const [word, right] of wrong) {
      expect(word[0]).toBe(right[0]);
      expect(Math.abs(word.length - right.length)).toBeLessThanOrEqual(1);
    }
  }
});

it('an unfinished prompt ends after half of the last word, and after three letters at least', () => {
  const lastWords = ({ clean, unfinished }: KnownItem) => [clean, unfinished].map((prompt) => prompt.split(' ').at(-1) ?? '');
  for (const item of items) {
    const [last = '', cut = ''] = lastWords(item);
    expect(last.startsWith(cut)).toBe(true);
    expect(cut).toHaveLength(Math.max(3, Math.floor(last.length / 2)));
  }
});

describe('ports', () => {
  const other = createServer();
  beforeAll(() => once(other.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => new Promise((closed) => other.close(closed)));

  const request = (variable: string, port: number) => ({ server: 'the API', variable, port });

  it('free ports differ, and the system gives none of them to an outgoing connection', async () => {
    const ports = await choosePorts(Array.from({ length: 200 }, (_, n) => request(`PORT_${n}`, 0)));
    expect(new Set(ports).size).toBe(200);
    expect(ports.filter((port) => port < FREE_PORTS.min || port > FREE_PORTS.max)).toEqual([]);
  });

  it('a given port is kept when it is free', async () => {
    const [port = 0] = await choosePorts([request('PORT', 0)]);
    expect(await choosePorts([request('PORT', port)])).toEqual([port]);
  });

  it('a port that no setting changes is replaced by a free one while it is in use', async () => {
    const { port } = other.address() as AddressInfo;
    const [chosen = 0] = await choosePorts([{ server: 'PostgreSQL', port }]);
    expect(chosen).toBeGreaterThanOrEqual(FREE_PORTS.min);
    expect(chosen).not.toBe(port);
  });

  it('the stores get the ports of the last start again, and not those of servers that were not started', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ports-'));
    expect(readStorePorts(folder)).toEqual({});
    const urls = { DATABASE_URL: 'postgresql://ugc@127.0.0.1:21432/ugc', REDIS_URL: 'redis://redis:16379' };
    await writeFile(join(folder, 'env'), Object.entries(urls).map(([name, url]) => `${name}='${url}'\n`).join('')); // prettier-ignore
    expect(readStorePorts(folder)).toEqual({ postgres: 21_432 });
    await rm(folder, { recursive: true });
  });

  it('a given port that is in use is an error that names the server and the setting', async () => {
    const { port } = other.address() as AddressInfo;
    await expect(choosePorts([request('OTHER_PORT', 0), request('PORT', port)])).rejects.toThrow(
      `Port ${port} for the API is in use by another program: free it, or set another port with PORT=<port>.`,
    );
  });
});

it('of several processes that find an abandoned lock, one at a time takes it', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'lock-')), 'lock');
  await mkdir(folder);
  await utimes(folder, 0, 0);
  let [inside, most, done] = [0, 0, 0];
  const work = async () => {
    most = Math.max(most, ++inside);
    await new Promise(setImmediate);
    [inside, done] = [inside - 1, done + 1];
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock(folder, work)));
  expect([most, done]).toEqual([1, 5]);
  expect(existsSync(folder)).toBe(false);
});
