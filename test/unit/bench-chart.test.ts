import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawChart } from '../../tools/bench/chart/chart.ts';
import { toMarkdown } from '../../tools/bench/chart/markdown.ts';
import { toPanels } from '../../tools/bench/chart/panels.ts';
import { mergeFigures, readRun, saveRun, type SavedRun } from '../../tools/bench/chart/saved-run.ts';
import type { Figure } from '../../tools/bench/table/figure.ts';

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
