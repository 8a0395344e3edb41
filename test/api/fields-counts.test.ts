import { describe, expect, it } from '@jest/globals';
import type { Facets } from '@ugc/api/search/facets/facets';
import fc from 'fast-check';
import { declareFields } from '../support/database/declare-fields.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { runs } from '../support/jest/long.ts';
import { createEnvironment } from '../support/processes/environment.ts';
import { openStores, startService } from '../support/processes/service.ts';

const SHOWN = 20;
const PARTS = ['game', 'loader', 'players'] as const;
type Part = (typeof PARTS)[number];
type Build = { game: string; loader: string; players: number };
const FILE = {
  build: { type: 'group', many: true, of: { game: 'version', loader: 'keyword', players: 'number' } },
  decoyed: { type: 'group', many: true, of: { game: 'keyword', loader: 'keyword' } },
  endless: { type: 'group', many: true, of: { game: 'keyword', loader: 'keyword' } },
};

const [GAMES, LOADERS, PLAYERS] = [90, 40, 30];
// Values with lower numbers are more frequent.
const skewed = (count: number) => fc.double({ min: 0, max: 0.999, noNaN: true }).map((part) => Math.floor(count * part ** 2));
const anyBuild: fc.Arbitrary<Build> = fc.record({
  game: skewed(GAMES).map((n) => `1.${n}`),
  loader: skewed(LOADERS).map((n) => `loader ${n}`),
  players: skewed(PLAYERS),
});
const builds = fc.sample(fc.noBias(fc.array(anyBuild, { minLength: 1, maxLength: 6 })), { numRuns: 400, seed: 20261129 });

/** Items whose most frequent games are in entries that nobody asks for: each has 31 of these, and one other. */
const [DECOYS, DECOYED_ITEMS, ENTRIES] = [130, 40, 32];
const decoyed = (decoys: number) => (_: unknown, item: number) =>
  Array.from({ length: ENTRIES }, (__, n) =>
    n === 0
      ? { game: `right ${item % 25}`, loader: item % 2 ? 'fabric' : 'forge' }
      : { game: `decoy ${(item * (ENTRIES - 1) + n) % decoys}`, loader: 'nobody' },
  );

/** `build.players` has a range, of both ends. */
type Asked = { game: number[]; loader: number[]; players: number[]; range: [number, number] | undefined };
const someOf = (count: number) => fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { maxLength: 4 });
const anyAsked: fc.Arbitrary<Asked> = fc.record({
  game: someOf(30),
  loader: someOf(13),
  players: someOf(10),
  range: fc.option(
    fc.uniqueArray(fc.integer({ min: 0, max: PLAYERS }), { minLength: 2, maxLength: 2 }).map((ends) => ends.toSorted((a, b) => a - b)),
    { nil: undefined },
  ) as fc.Arbitrary<[number, number] | undefined>,
});

const textOf: Record<Part, (n: number) => string> = { game: (n) => `1.${n}`, loader: (n) => `loader ${n}`, players: String };
const toQuery = (asked: Asked): [string, string][] => {
  const exact = PARTS.flatMap((part) => asked[part].map((n): [string, string] => ['where', `build.${part}:${textOf[part](n)}`]));
  return asked.range ? [...exact, ['where', `build.players:${asked.range.join('..')}`]] : exact;
};
const isHeld = (part: Part, { range, ...asked }: Asked, build: Build): boolean => {
  const values = asked[part].map(textOf[part]);
  const isRanged = part === 'players' && range !== undefined;
  if (values.length === 0 && !isRanged) return true;
  return values.includes(String(build[part])) || (isRanged && build.players >= range[0] && build.players <= range[1]);
};

/** @returns how many items have each value in an entry that all conditions on other parts hold for, the largest first */
function countAll(part: Part, asked: Asked): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entries of builds) {
    const right = entries.filter((build) => PARTS.every((other) => other === part || isHeld(other, asked, build)));
    for (const value of new Set(right.map((build) => String(build[part])))) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

const largest = (counts: Iterable<number>): number[] => [...counts].toSorted((a, b) => b - a);
const sumOf = (counts: number[]): number => counts.reduce((sum, count) => sum + count, 0);

describe('values of a part of a group, beside several values or a range of another part', () => {
  const service = forAllTests(async () => {
    const env = await createEnvironment();
    const { close, ...stores } = openStores(env);
    await declareFields(stores.database, FILE);
    const items = Array.from({ length: DECOYED_ITEMS });
    await storeContent(stores.database, [
      ...builds.map((build, n) => ({ name: `item ${n}`, fields: { build } })),
      ...items.map(decoyed(DECOYS)).map((entries, n) => ({ name: `decoyed ${n}`, fields: { decoyed: entries } })),
      ...items.map(decoyed(1_000)).map((entries, n) => ({ name: `endless ${n}`, fields: { endless: entries } })),
    ]);
    await close();
    const started = await startService(env);
    await started.indexed();
    return started;
  });

  const count = async (path: string, query: [string, string][]) => {
    const { status, body, text } = await service.client.get(
      `/api/content/facets?${new URLSearchParams([...query, ['facetFields', path]])}`,
    );
    if (status !== 200) throw new Error(`${JSON.stringify(query)} returned ${status}: ${text}`);
    return (body as Facets).facets.fields![path]!;
  };

  it('are counted as a brute force over all entries counts them', async () => {
    const isExact = async (asked: Asked, part: Part): Promise<void> => {
      const query = toQuery(asked);
      const { values, other, exact } = await count(`build.${part}`, query);
      const expected = countAll(part, asked);
      const counts = largest(expected.values());
      const found = { counts: values.map((each) => each.count), right: values.map(({ value }) => expected.get(value)), other, exact };
      const right = counts.slice(0, SHOWN);
      expect({ query, part, ...found }).toEqual({ query, part, counts: right, right, other: sumOf(counts.slice(SHOWN)), exact: true });
    };
    await fc.assert(fc.asyncProperty(anyAsked, fc.constantFrom(...PARTS), isExact), { numRuns: runs(60, 300), seed: 7 });
  });

  const TWO: [string, string][] = [
    ['where', 'GROUP.loader:fabric'],
    ['where', 'GROUP.loader:forge'],
  ];
  const twoOf = (group: string) => TWO.map(([name, text]): [string, string] => [name, text.replace('GROUP', group)]);

  it('are found among more frequent ones that no entry which is asked for has', async () => {
    const { values, other, exact } = await count('decoyed.game', twoOf('decoyed'));
    // 40 items have 25 games: 15 of them two.
    expect({ counts: values.map((each) => each.count), other, exact }).toEqual({
      counts: [...Array<number>(15).fill(2), ...Array<number>(5).fill(1)],
      other: 5,
      exact: true,
    });
    expect(values.every(({ value }) => value.startsWith('right '))).toBe(true);
  });

  it('are said to be uncertain above 300 more frequent ones, and the counts of those shown are right', async () => {
    const { values, exact } = await count('endless.game', twoOf('endless'));
    expect({ exact, wrong: values.filter(({ value }) => !value.startsWith('right ')) }).toEqual({ exact: false, wrong: [] });
  });
});
