import { beforeAll, expect, it } from '@jest/globals';
import { searchInterpreted } from '@ugc/api/search/list';
import { Synonyms } from '@ugc/text/prompt/synonyms';
import { createPromptMemory } from '@ugc/api/search/prompt/prompt-memory';
import { buildQuery } from '@ugc/api/search/query';
import { Console } from 'node:console';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { openSession } from '../support/search/searching.ts';
import { readDemoPrompts, type DemoPrompt } from './demo-prompts.ts';
import { mean, ndcg } from './measures.ts';
import { storeDemo } from './store-demo.ts';

const ALL = 200;
/** More items match than by default, most of them less well. */
const MATCH = 'any';
/** Quality changes most in the lists of the prompts that most items match. */
const PROMPTS = 30;
/** What the thirty prompts lose of their nDCG@10 at most. Measured: docs/decisions/0035-sort-by-quality.md. */
const LOSS_MAX = 0.01;
/** The ratio of the largest factor of quality to the smallest; scores are 32-bit numbers. */
const BOUND = (16 / 9) * (1 + 1e-6);

type Ranked = DemoPrompt & { relevance: string[]; best: string[] };

const service = forAllTests(() => startService());
let ranked: Ranked[];
beforeAll(async () => {
  await storeDemo(service.database, { isRated: true });
  await service.indexed();
  ranked = [];
  for (const judged of await readDemoPrompts()) {
    const by = (sort: string) => service.client.search(judged.prompt, { sort, match: MATCH, size: ALL });
    ranked.push({
      ...judged,
      relevance: await by('relevance'),
      best: await by('best'),
    });
  }
});

it('best keeps relevant items first for the thirty judged prompts that most items match', () => {
  const rows = ranked
    .toSorted((a, b) => b.relevance.length - a.relevance.length)
    .slice(0, PROMPTS)
    .map(({ prompt, grades, relevance, best }) => ({
      prompt,
      matches: best.length,
      relevance: ndcg(relevance, grades),
      best: ndcg(best, grades),
    }));
  new Console(process.stderr).table(rows);
  const figures = {
    relevance: mean(rows.map(({ relevance }) => relevance)),
    best: mean(rows.map(({ best }) => best)),
  };
  new Console(process.stderr).table(figures);
  expect(figures.best).toBeGreaterThan(figures.relevance - LOSS_MAX);
});

it('best has every match of relevance, and the same first item for the name of an item', () => {
  for (const { prompt, kind, relevance, best } of ranked) {
    expect({ prompt, found: best.toSorted() }).toEqual({
      prompt,
      found: relevance.toSorted(),
    });
    if (kind === 'name')
      expect({ prompt, first: best[0] }).toEqual({
        prompt,
        first: relevance[0],
      });
  }
});

it('no popular item passes a relevant one whose words match more than 16/9 times as well', async () => {
  let passed = 0;
  for (const { prompt, grades, relevance, best } of ranked) {
    const scores = await scoresOf(prompt);
    const scoreOf = (name: string): number => scores.get(name) ?? NaN;
    for (const name of best.filter((each) => grades.has(each))) {
      const passing = best.slice(0, best.indexOf(name)).filter((other) => relevance.indexOf(other) > relevance.indexOf(name));
      passed += passing.length;
      const ratios = passing.map((other) => ({
        prompt,
        name,
        other,
        ratio: scoreOf(name) / scoreOf(other),
      }));
      expect(ratios.filter(({ ratio }) => !(ratio <= BOUND))).toEqual([]);
    }
  }
  expect(passed).toBeGreaterThan(0);
});

/** @returns the scores by relevance of the items that the prompt matches, by name */
async function scoresOf(prompt: string): Promise<Map<string, number>> {
  const session = openSession(service);
  const words = { ...createPromptMemory(), synonyms: new Synonyms([]) };
  const { found } = await searchInterpreted(
    session,
    words,
    { prompt, match: MATCH, correct: 'true' },
    {
      search: (interpretation) =>
        session.search({
          query: buildQuery(interpretation, [], { isRanked: true }),
          size: ALL,
          _source: ['name'],
        }),
      isEmpty: ({ hits }) => hits.hits.length === 0,
    },
  );
  return new Map(found.hits.hits.map(({ _source, _score }) => [(_source as { name: string }).name, _score ?? NaN]));
}

/** The largest factor of quality, and the smallest. */
const LOVED = {
  ratings: Array<number>(50).fill(5),
  downloads: 1_000_000,
  createdAt: '2040-01-01T00:00:00.000Z',
};
const UNLOVED = {
  ratings: Array<number>(50).fill(1),
  createdAt: '2000-01-01T00:00:00.000Z',
};

const ACCENTED = new Map([
  ['brêlot', 'Brelot de vigne'],
  ['jeûnat', 'Jeunat kit'],
  ['sköldra', 'Skoldra bok'],
  ['phớkan', 'Phokan'],
]);
/** They make the accent as frequent as the word. */
const NOTES = 8;

it('what has the accent that is typed comes before a longer name without it, whatever the quality of both', async () => {
  const rest = 'with many other things from elsewhere '.repeat(8);
  const notes = Array.from({ length: NOTES }, (_, n) => `Note ${n + 1}`);
  await storeContent(service.database, [
    ...Array.from(ACCENTED.values(), (name) => ({
      ...LOVED,
      name: `${name} mould`,
    })),
    ...Array.from(ACCENTED.keys()).flatMap((typed) =>
      notes.map((name) => ({
        ...UNLOVED,
        name,
        description: `A ${typed} ${rest}`,
      })),
    ),
  ]);
  await service.indexed();
  for (const typed of ACCENTED.keys()) {
    for (const sort of ['relevance', 'best']) {
      const first = await service.client.search(typed, { sort, size: NOTES });
      expect({ typed, sort, first: first.toSorted() }).toEqual({
        typed,
        sort,
        first: notes,
      });
    }
  }
});

it.each(['relevance', 'best'])('a quotation with an accent finds what contains it, with the accent first, by %s', async (sort) => {
  const name = 'Malvène glade';
  await storeContent(
    service.database,
    ['Malvene glade', name].map((text) => ({ ...LOVED, name: text })),
  );
  await service.indexed();
  expect((await service.client.search(`"${name}"`, { sort }))[0]).toBe(name);
});
