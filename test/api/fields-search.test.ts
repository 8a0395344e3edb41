import { describe, expect, it } from '@jest/globals';
import type { Facets } from '@ugc/api/search/facets/facets';
import type { ContentPage } from '@ugc/api/search/page';
import type { Entry, Value, Values } from '@ugc/fields/values';
import type { Scalar } from '@ugc/fields/field-type';
import fc from 'fast-check';
import type { ApiResponse } from '../support/http/client.ts';
import { declareFields } from '../support/database/declare-fields.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { expectProblem } from '../support/http/problems.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { runs } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { createEnvironment } from '../support/processes/environment.ts';
import { openStores, startService } from '../support/processes/service.ts';

const FILE = {
  licence: { type: 'keyword' },
  loader: { type: 'keyword', many: true },
  players: { type: 'number', facet: true },
  sizes: { type: 'number', many: true },
  released: { type: 'date', facet: true },
  multiplayer: { type: 'flag' },
  engine: { type: 'version' },
  game: { type: 'version', many: true },
  studio: { type: 'keyword', searched: true },
  summary: { type: 'text' },
  build: { type: 'group', many: true, of: { game: 'version', loader: 'keyword' } },
};
type Field = keyof typeof FILE;

/** The values of each type in their order. */
const POOLS: Record<string, Scalar[]> = {
  keyword: ['>4', 'a,b', 'fabric', 'forge:x', 'mit'],
  number: [-3.5, 0, 1, 4, 10, 1_000_000],
  date: ['0900-01-01', '1969-12-31', '2026-01-01', '2026-11-20'],
  flag: [false, true],
  version: ['1.9', '1.10', '1.20', '1.20.0', '1.21-Pre1', '1.21', '24.04', '24w14a'],
};
const typeOf = (field: Field, part: string): string => (part === '' ? FILE[field].type : (FILE.build.of as Record<string, string>)[part])!;
const rank = (type: string, value: Scalar): number => POOLS[type]!.indexOf(value);
const anyOf = (type: string) => fc.constantFrom(...POOLS[type]!);
const manyOf = (type: string) => fc.uniqueArray(anyOf(type), { minLength: 1, maxLength: 3 });
const anyBuild = fc.record({ game: anyOf('version'), loader: anyOf('keyword') });

const anyValues: fc.Arbitrary<Values> = fc.record(
  {
    licence: anyOf('keyword'),
    loader: manyOf('keyword'),
    players: anyOf('number'),
    sizes: manyOf('number'),
    released: anyOf('date'),
    multiplayer: anyOf('flag'),
    engine: anyOf('version'),
    game: manyOf('version'),
    build: fc.uniqueArray(anyBuild, { minLength: 1, maxLength: 3, selector: (build) => JSON.stringify(build) }),
  },
  { requiredKeys: [] },
);

/** `from` and `to` are ranks. */
type Asked = { from?: { rank: number; open: boolean }; to?: { rank: number; open: boolean }; text: string; exact?: Scalar };

const anyAsked = (type: string): fc.Arbitrary<Asked> => {
  const exact = anyOf(type).map((value): Asked => ({ exact: value, text: String(value) }));
  if (!['number', 'date', 'version'].includes(type)) return exact;
  const end = fc.tuple(anyOf(type), fc.boolean());
  const lower = end.map(([value, open]): Asked => ({ from: { rank: rank(type, value), open }, text: `${open ? '>' : '>='}${value}` }));
  const upper = end.map(([value, open]): Asked => ({ to: { rank: rank(type, value), open }, text: `${open ? '<' : '<='}${value}` }));
  const both = fc.uniqueArray(anyOf(type), { minLength: 2, maxLength: 2 }).map((ends): Asked => {
    const [from, to] = ends.toSorted((a, b) => rank(type, a) - rank(type, b));
    return { from: { rank: rank(type, from!), open: false }, to: { rank: rank(type, to!), open: false }, text: `${from}..${to}` };
  });
  return fc.oneof(exact, exact, lower, upper, both);
};

const PATHS: [Field, string][] = [
  ...(['licence', 'loader', 'players', 'sizes', 'released', 'multiplayer', 'engine', 'game'] as const).map((field): [Field, string] => [
    field,
    '',
  ]),
  ['build', 'game'],
  ['build', 'loader'],
];
const WHERE = ['where', 'whereAll', 'whereNot'] as const;
type Condition = { where: (typeof WHERE)[number]; field: Field; part: string; asked: Asked };
const anyCondition: fc.Arbitrary<Condition> = fc
  .tuple(fc.constantFrom(...WHERE, 'where' as const), fc.constantFrom(...PATHS))
  .chain(([where, [field, part]]) => anyAsked(typeOf(field, part)).map((asked) => ({ where, field, part, asked })));

const holds = (type: string, { from, to, exact }: Asked, value: Scalar): boolean => {
  if (exact !== undefined) return exact === value;
  const at = rank(type, value);
  return (!from || (from.open ? at > from.rank : at >= from.rank)) && (!to || (to.open ? at < to.rank : at <= to.rank));
};

const listed = (value: Value | undefined): (Scalar | Entry)[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

/** An open lower and an open upper end are one range, unless they leave nothing between them. */
function merged(asked: Asked[]): Asked[] {
  const lower = asked.filter((one) => one.from && !one.to);
  const upper = asked.filter((one) => one.to && !one.from);
  const [from, to] = [lower[0]?.from, upper[0]?.to];
  if (lower.length !== 1 || upper.length !== 1 || !from || !to) return asked;
  const isOneValue = !from.open && !to.open;
  if (from.rank > to.rank || (from.rank === to.rank && !isOneValue)) return asked;
  return [{ ...upper[0]!, from }, ...asked.filter((one) => one !== lower[0] && one !== upper[0])];
}

const isExcluded = (values: Values, { field, part, asked }: Condition): boolean =>
  listed(values[field]).some((entry) => holds(typeOf(field, part), asked, part === '' ? (entry as Scalar) : (entry as Entry)[part]!));

function isMatch(values: Values, conditions: Condition[]): boolean {
  return WHERE.every((where) => {
    const given = conditions.filter((condition) => condition.where === where);
    if (where === 'whereNot') return !given.some((condition) => isExcluded(values, condition));
    return [...new Set(given.map(({ field }) => field))].every((field) => {
      const byPart = Map.groupBy(
        given.filter((condition) => condition.field === field),
        ({ part }) => part,
      );
      let combined: [string, Asked][][] = [[]];
      for (const [part, ofPart] of byPart)
        combined = combined.flatMap((before) =>
          merged(ofPart.map(({ asked }) => asked)).map((one): [string, Asked][] => [...before, [part, one]]),
        );
      const entries = listed(values[field]);
      const isHeld = (combination: [string, Asked][]): boolean =>
        entries.some((entry) =>
          combination.every(([part, asked]) =>
            holds(typeOf(field, part), asked, part === '' ? (entry as Scalar) : (entry as Entry)[part]!),
          ),
        );
      return where === 'whereAll' ? combined.every(isHeld) : combined.some(isHeld);
    });
  });
}

/** Two ranges on the parts of a group are refused, but where each excludes by itself. */
const isAllowed = (conditions: Condition[]): boolean =>
  (['where', 'whereAll'] as const).every((where) => {
    const ranged = conditions.filter((one) => one.where === where && one.field === 'build' && one.asked.exact === undefined);
    return new Set(ranged.map(({ part }) => part)).size < 2;
  });
const anyConditions = fc.array(anyCondition, { maxLength: 4 }).filter(isAllowed);
const pathOf = ({ field, part }: Pick<Condition, 'field' | 'part'>): string => (part === '' ? field : `${field}.${part}`);
const toQuery = (conditions: Condition[]): [string, string][] =>
  conditions.map((condition) => [condition.where, `${pathOf(condition)}:${condition.asked.text}`]);

const SORTED = ['licence', 'loader', 'players', 'sizes', 'released', 'multiplayer', 'engine', 'game'] as const;

function expectRefused(response: ApiResponse, parameter: string, detail: RegExp): void {
  expect(expectProblem(response, 400, 'invalid-parameters').errors).toMatchObject([{ parameter, detail: expect.stringMatching(detail) }]);
}

describe('declared fields', () => {
  const samples = fc.sample(anyValues, { numRuns: 90, seed: 20261129 });
  const service = forAllTests(async () => {
    const env = await createEnvironment();
    const { close, ...stores } = openStores(env);
    await declareFields(stores.database, FILE);
    const fields: Values[] = [...samples, { studio: 'Hyperion Klöster', summary: 'A tale of c++ wanderers in the fog' }];
    await storeContent(
      stores.database,
      fields.map((values, n) => ({ name: `item ${n}`, fields: values })),
    );
    await close();
    const started = await startService(env);
    await started.indexed();
    return started;
  });

  const get = async <T>(path: string, parameters: [string, string][]): Promise<T> => {
    const { status, body, text } = await service.client.get(`${path}?${new URLSearchParams(parameters)}`);
    if (status !== 200) throw new Error(`${path} with ${JSON.stringify(parameters)} returned ${status}: ${text}`);
    return body as T;
  };
  const idsOf = ({ content }: ContentPage): number[] => content.map(({ contentId }) => contentId);
  const matching = (conditions: Condition[]): number[] =>
    [...samples, {} as Values].flatMap((values, n) => (isMatch(values, conditions) ? [n + 1] : []));

  it('filter lists as their values say, whatever the conditions', async () => {
    const isComplete = async (conditions: Condition[]): Promise<void> => {
      const query = toQuery(conditions);
      const page = await get<ContentPage>('/api/content', [...query, ['size', '200'], ['sort', 'contentId']]);
      const ids = matching(conditions);
      expect({ query, ids: idsOf(page), total: page.totalElements }).toEqual({ query, ids, total: ids.length });
    };
    await fc.assert(fc.asyncProperty(anyConditions, isComplete), { numRuns: runs(150, 600), seed: 20261129 });
  });

  it.each<[string, string]>([
    ['where=licence:mit', `c.fields->>'licence' = 'mit'`],
    ['where=loader:mit&where=loader:fabric', `c.fields->'loader' ?| array['mit', 'fabric']`],
    ['whereAll=loader:mit&whereAll=loader:fabric', `c.fields->'loader' ?& array['mit', 'fabric']`],
    ['whereNot=loader:mit', `not coalesce(c.fields->'loader' ? 'mit', false)`],
    [
      'whereNot=build.game:1.21&whereNot=build.loader:mit',
      `not c.fields @> '{"build":[{"game":"1.21"}]}' and not c.fields @> '{"build":[{"loader":"mit"}]}'`,
    ],
    ['whereNot=players:>=1&whereNot=players:<10', `not c.fields ? 'players'`],
    ['where=players:>=1&where=players:<10', `(c.fields->>'players')::float8 >= 1 and (c.fields->>'players')::float8 < 10`],
    ['where=build.game:1.21&where=build.loader:mit', `c.fields @> '{"build":[{"game":"1.21","loader":"mit"}]}'`],
  ])('find with %s what one statement finds', async (query, condition) => {
    const rows = await service.database.query<{ contentId: number }>(
      `select content_id from content c where ${condition} order by content_id`,
    );
    const page = await get<ContentPage>('/api/content', [...new URLSearchParams(`${query}&size=200&sort=contentId`)]);
    expect(rows.length).toBeGreaterThan(0);
    expect(idsOf(page)).toEqual(rows.map(({ contentId }) => contentId));
  });

  it.each(SORTED.flatMap((field) => [[field, 'asc'] as const, [field, 'desc'] as const]))(
    'sort lists by %s,%s on every page, items without a value last',
    async (field, direction) => {
      const sign = direction === 'asc' ? 1 : -1;
      const keyOf = (id: number): number | undefined => {
        const value = samples[id - 1]?.[field];
        const ranks = listed(value).map((one) => rank(FILE[field].type, one as Scalar) * sign);
        return ranks.length === 0 ? undefined : Math.min(...ranks);
      };
      const compare = (a: number, b: number): number => (keyOf(a) ?? Infinity) - (keyOf(b) ?? Infinity) || (a - b) * sign;
      const byKey = (a: number, b: number): number => (keyOf(a) === keyOf(b) ? (a - b) * sign : compare(a, b));
      const expected = Array.from({ length: samples.length + 1 }, (_, n) => n + 1).toSorted(byKey);
      const found: number[] = [];
      for (let page = 0; page * 25 < expected.length; page += 1) {
        const parameters: [string, string][] = [
          ['sort', `fields.${field},${direction}`],
          ['size', '25'],
          ['page', String(page)],
        ];
        found.push(...idsOf(await get<ContentPage>('/api/content', parameters)));
      }
      expect(found).toEqual(expected);
    },
  );

  it('are counted exactly, each without its own conditions of `where`', async () => {
    const counted = PATHS.filter(([field]) => field !== 'sizes');
    const isExact = async (given: Condition[], [field, part]: [Field, string]): Promise<void> => {
      const conditions = given.map((one) => ({ ...one, where: 'where' as const }));
      if (!isAllowed(conditions)) return;
      const path = pathOf({ field, part });
      const others = conditions.filter((one) => pathOf(one) !== path);
      const counts: Record<string, number> = {};
      for (const value of POOLS[typeOf(field, part)]!) {
        const one: Condition = { where: 'where', field, part, asked: { exact: value, text: '' } };
        const count = matching([...others, one]).length;
        if (count > 0) counts[String(value)] = count;
      }
      const query: [string, string][] = [...toQuery(conditions), ['facetFields', path]];
      const { facets } = await get<Facets>('/api/content/facets', query);
      const { values, other, exact } = facets.fields?.[path] ?? {};
      const found = Object.fromEntries(values?.map(({ value, count }) => [value, count]) ?? []);
      expect({ query, found, other, exact }).toEqual({ query, found: counts, other: 0, exact: true });
    };
    await fc.assert(fc.asyncProperty(anyConditions, fc.constantFrom(...counted), isExact), { numRuns: runs(100, 400), seed: 7 });
  });

  it.each([
    ['where=players', 'where', /"players": must be a field, a colon and a value, such as licence/],
    ['where=players:abc', 'where', /players \(number\) must be .*for example players:4, or as a range >=4/],
    ['whereAll=nothing:1', 'whereAll', /"nothing" is not declared; the fields are licence, /],
    ['whereNot=build:1', 'whereNot', /name a part, build\.game or build\.loader/],
    ['where=summary:fog', 'where', /which prompt searches/],
    ['where=build.game:>1&where=build.loader:mit&whereNot=released:2026-02-30', 'whereNot', /a day of the calendar/],
    ['sort=fields.summary', 'sort', /type text, which has no order/],
    ['sort=fields.build,desc', 'sort', /type group/],
    ['sort=fields.nothing', 'sort', /is not declared; the fields are/],
    [Array.from({ length: 17 }, (_, n) => `where=players:${n}&whereNot=sizes:${n}`).join('&'), 'where', /at most 32 times .* not 34/],
  ])('are refused with what would be right: %s', async (query, parameter, detail) => {
    for (const path of parameter === 'sort' ? ['/api/content'] : ['/api/content', '/api/content/facets', '/api/content/1/similar'])
      expectRefused(await service.client.get(`${path}?${query}`), parameter, detail);
  });

  it.each([
    ['facetFields=summary', /not counted/],
    ['facetFields=build', /name a part/],
    ['facetFields=nothing', /is not declared/],
    [['licence', 'loader', 'engine', 'game', 'multiplayer'].map((path) => `facetFields=${path}&where=${path}:true`).join('&'), /at most 4/],
  ])('are not counted otherwise than they can be: %s', async (query, detail) => {
    const response = await service.client.get(`/api/content/facets?${query}`);
    expectRefused(response, 'facetFields', detail);
  });

  it('are in the items of lists and similar items with include=fields', async () => {
    const { content } = await get<ContentPage>('/api/content', [
      ['include', 'fields'],
      ['size', '200'],
      ['sort', 'contentId'],
    ]);
    const without = ({ studio: _, summary: __, ...values }: Record<string, unknown>) => values;
    expect(content.slice(0, -1).map((item) => without(item.fields ?? {}))).toEqual(samples);
    const similar = await get<{ content: unknown[] }>('/api/content/1/similar', [
      ['include', 'fields'],
      ['where', 'licence:mit'],
    ]);
    expect(similar.content).toEqual(expect.any(Array));
  });

  it.each(['hyperion', 'hyperoin', 'kloster', 'wanderer', '"tale of c++"', 'c++'])('are found by their words: %s', async (prompt) => {
    const page = await get<ContentPage>('/api/content', [
      ['prompt', prompt],
      ['highlight', 'true'],
      ['explain', 'true'],
      ['sort', 'relevance'],
    ]);
    expect(idsOf(page)).toEqual([samples.length + 1]);
    expect(JSON.stringify(page.content[0]?.highlights?.fields)).toContain('<mark>');
  });

  it('count as not declared as soon as they are removed, and their values stay', async () => {
    await declareFields(service.database, {});
    await until('the fields are removed', async () => (await service.client.get('/api/content?where=licence:mit')).status === 400);
    const detail = /no fields are declared/;
    expectRefused(await service.client.get('/api/content?where=licence:mit'), 'where', detail);
    expectRefused(await service.client.get('/api/content?sort=fields.players'), 'sort', detail);
    expectRefused(await service.client.get('/api/content/facets?facetFields=licence'), 'facetFields', detail);
    expect((await get<ContentPage>('/api/content', [['include', 'fields']])).content[0]?.fields).toEqual({});
    await declareFields(service.database, FILE);
  });
});
