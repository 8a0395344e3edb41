import { expect, it } from '@jest/globals';
import { conditionQuery } from '@ugc/fields/condition-queries';
import { countOf } from '@ugc/fields/counts';
import { findField, MAX_FIELDS, MAX_ITEM_BYTES, MAX_VALUES, needsRebuild, readDefinitions, type Definitions } from '@ugc/fields/definition';
import { entryKeys } from '@ugc/fields/group-keys';
import { fieldProperties, indexedFields, searchedTexts } from '@ugc/fields/index-fields';
import { readConditions } from '@ugc/fields/read-conditions';
import { indexedType, SCALAR_TYPES, typeOf, type ScalarType } from '@ugc/fields/types/types';
import { versionKey } from '@ugc/fields/types/version';
import { declaredValues, mergeValues, outside, partDefinition, unfitting, type Values } from '@ugc/fields/values';
import fc from 'fast-check';

const FILE = {
  licence: { type: 'keyword', values: ['CC0-1.0', 'MIT'], label: 'Licence' },
  game: { type: 'version', many: true },
  players: { type: 'number', min: 1 },
  released: { type: 'date' },
  multiplayer: { type: 'flag' },
  studio: { type: 'keyword', searched: true },
  summary: { type: 'text' },
  build: { type: 'group', many: true, of: { loader: 'keyword', game: 'version' } },
};

const definitionsOf = (file: unknown): Definitions => {
  const read = readDefinitions(file);
  if ('errors' in read) throw new Error(JSON.stringify(read.errors));
  return read.definitions;
};
const FIELDS = definitionsOf(FILE);
const errorsIn = (file: unknown) => {
  const read = readDefinitions(file);
  return 'errors' in read ? read.errors : [];
};

it('definitions get their defaults: a label of the name, and counts of keywords, flags and versions', () => {
  expect(FIELDS.get('game')).toEqual({ type: 'version', many: true, label: 'Game', searched: false, facet: true, required: false });
  expect(FIELDS.get('players')).toMatchObject({ facet: false, label: 'Players', min: 1 });
  expect(FIELDS.get('summary')).toMatchObject({ searched: true });
  expect(definitionsOf({ gameVersion: { type: 'keyword' } }).get('gameVersion')?.label).toBe('Game version');
});

it.each<[string, unknown, string, RegExp]>([
  ['a list', [], '', /object with the names/],
  ['an unknown type', { a: { type: 'string' } }, 'a.type', /must be keyword, number/],
  ['an unknown property', { a: { type: 'flag', index: true } }, 'a', /has no property index; the properties are type/],
  ['a name that is none', { 'a b': { type: 'flag' } }, 'a b', /lower-case letter/],
  ['values of a number', { a: { type: 'number', values: ['1'] } }, 'a.values', /only for fields of the type keyword/],
  ['a group of one part', { a: { type: 'group', of: { b: 'flag' } } }, 'a.of', /2 or 3 parts/],
  ['a text in a group', { a: { type: 'group', of: { b: 'flag', c: 'text' } } }, 'a.of.c', /must be keyword/],
  ['a range that is empty', { a: { type: 'number', min: 2, max: 1 } }, 'a.min', /greater than max/],
  ['33 fields', Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`f${n}`, { type: 'flag' }])), '', /maximum is 32/],
])('%s is refused with its path', (_, file, path, detail) => {
  expect(errorsIn(file)).toEqual([{ path, detail: expect.stringMatching(detail) as unknown }]);
});

it('a rebuild is due for another type, more values and a removed field that was searched, and not for a label', () => {
  const changed = (change: object) => needsRebuild(definitionsOf({ ...FILE, ...change }), FIELDS);
  expect(changed({})).toBe(false);
  expect(changed({ licence: { type: 'keyword', label: 'License', required: true } })).toBe(false);
  expect([changed({ players: { type: 'keyword' } }), changed({ game: { type: 'version' } }), changed({ more: { type: 'flag' } })]).toEqual([
    true,
    true,
    true,
  ]);
  const { studio: _, ...withoutSearched } = FILE;
  const { released: __, ...withoutDate } = FILE;
  expect([needsRebuild(definitionsOf(withoutSearched), FIELDS), needsRebuild(definitionsOf(withoutDate), FIELDS)]).toEqual([true, false]);
});

const merged = (given: unknown, before?: Values, definitions = FIELDS) => mergeValues(definitions, given, before);
const problems = (given: unknown, before?: Values, definitions = FIELDS): Record<string, string> => {
  const result = merged(given, before, definitions);
  return 'errors' in result ? Object.fromEntries(result.errors.map(({ path, detail }) => [path.join('.'), detail])) : {};
};

it('a merge patch changes the fields that it names; null and an empty list remove one', () => {
  const before = { licence: 'MIT', players: 3, old: 'x' };
  expect(merged({ players: 4, game: ['1.20', '1.20'] }, before)).toEqual({ values: { ...before, players: 4, game: ['1.20'] } });
  expect(merged({ players: null, licence: 'CC0-1.0', game: [] }, before)).toEqual({ values: { licence: 'CC0-1.0', old: 'x' } });
  expect(merged(undefined, before)).toEqual({ values: before });
});

it('one value that was stored before its field could have many is returned as a list, and may be sent as that or as it is stored', () => {
  const definitions = definitionsOf({ licence: { type: 'keyword', many: true, values: ['MIT'] }, players: { type: 'number' } });
  const before = { licence: 'GPL', players: [4] };
  expect(declaredValues(before, definitions)).toEqual({ licence: ['GPL'] });
  for (const licence of ['GPL', ['GPL']]) expect(merged({ licence, players: [4] }, before, definitions)).toEqual({ values: before });
  expect(Object.keys(problems({ licence: ['GPL', 'MIT'] }, before, definitions))).toEqual(['licence.0']);
});

it('null removes the value of a removed field, and of no other name; the limit counts declared fields alone', () => {
  const before = { old: 'x'.repeat(9_000), licence: 'MIT' };
  expect(merged({ players: 4 }, before)).toEqual({ values: { ...before, players: 4 } });
  expect(merged({ old: null }, before)).toEqual({ values: { licence: 'MIT' } });
  expect(problems({ old: null }, { licence: 'MIT' })).toEqual({ old: expect.stringContaining('is not declared') as unknown });
  expect(problems({ players: 4 }, { ...before, older: 'x'.repeat(23_720) })).toEqual({
    '': expect.stringContaining('null removes these, which are old, older') as unknown,
  });
  const large = { studio: 'x'.repeat(9_000), players: 4 };
  expect(merged({ players: 3 }, large)).toEqual({ values: { ...large, players: 3 } });
  expect(problems({ players: 44 }, large)).toEqual({ '': expect.stringContaining('maximum is 8192') as unknown });
});

it('each value of the wrong type or out of its bounds is refused with its path and what would be right', () => {
  expect(problems({ licence: 'GPL', game: [1], players: '4', released: '2026-02-30', multiplayer: 'yes', lisence: 'MIT' })).toEqual({
    licence: 'must be "CC0-1.0" or "MIT"',
    'game.0': expect.stringContaining('such as "1.20.4"') as unknown,
    players: expect.stringContaining('at least 1') as unknown,
    released: expect.stringContaining('such as "2026-11-20"') as unknown,
    multiplayer: 'must be true or false',
    lisence: expect.stringContaining('the fields are licence, game') as unknown,
  });
  expect(problems({ players: 0 })).toEqual({ players: expect.stringContaining('at least 1') as unknown });
  expect(problems({ build: [{ game: '1.20' }, { game: '1.20', os: 'x' }, { game: '1.20', loader: 'fabric', os: 'x' }] })).toEqual({
    'build.0.loader': 'is required',
    'build.1.os': expect.stringContaining('the parts are game and loader') as unknown,
    'build.1.loader': 'is required',
    'build.2': 'must be an object with game and loader, and has 3 parts',
  });
  expect(problems([])).toEqual({ '': 'must be an object with the names of the fields' });
  expect(problems({ game: Array.from({ length: 33 }, (_, n) => `1.${n}`) })).toEqual({ game: 'has 33 values; the maximum is 32' });
  const long = { a: { type: 'text' }, b: { type: 'text' }, c: { type: 'text' }, d: { type: 'text' }, e: { type: 'text' } };
  const text = 'x'.repeat(2_000);
  expect(problems({ a: text, b: text, c: text, d: text, e: text }, undefined, definitionsOf(long))).toEqual({
    '': expect.stringContaining('maximum is 8192') as unknown,
  });
});

it.each(['constructor', 'toString', 'valueOf', '__proto__'])('%s, which objects have by themselves, is no name', (name) => {
  const detail = expect.stringContaining('is no name of a field') as unknown;
  expect(errorsIn(JSON.parse(`{"${name}":{"type":"flag"}}`))).toEqual([{ path: name, detail }]);
  expect(errorsIn(JSON.parse(`{"a":{"type":"group","of":{"${name}":"flag","b":"flag"}}}`))).not.toEqual([]);
  expect(Object.keys(problems(JSON.parse(`{"${name}":1}`)))).toEqual([name]);
  expect(findField(FIELDS, `build.${name}`)).toBeUndefined();
});

it('a body with more names than fields can be, or an entry with more than it has parts, is one error', () => {
  const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`n${n}`, 1]));
  expect(problems(many)).toEqual({ '': 'has 200000 names; the maximum is 64' });
  expect(problems({ build: many })).toEqual({ 'build.0': 'must be an object with game and loader, and has 200000 parts' });
});

it('a value of a megabyte of combining accents is too long, and is not composed, which would take minutes', () => {
  const accents = `a${'\u0301\u0316'.repeat(500_000)}`;
  expect(problems({ studio: accents, game: accents, build: { loader: accents, game: accents } })).toEqual({
    studio: expect.stringContaining('at most 100 characters'),
    'game.0': expect.stringContaining('at most 64 characters'),
    'build.0.loader': expect.stringContaining('at most 100 characters'),
    'build.0.game': expect.stringContaining('at most 64 characters'),
  });
});

it('a required field is asked of new items, and not of a change of one that lacks it; no change removes it', () => {
  const required = definitionsOf({ licence: { type: 'keyword', required: true } });
  expect([
    problems({}, undefined, required),
    problems({}, {}, required),
    problems({ licence: null }, { licence: 'MIT' }, required),
  ]).toEqual([{ licence: 'is required' }, {}, { licence: 'is required' }]);
});

it('versions sort by numbers, a pre-release before its release, and what is none after all', () => {
  const sorted = [
    '0.9',
    '1.2',
    '1.9',
    '1.10',
    '1.20-pre1',
    '1.20-pre2',
    '1.20-pre10',
    '1.20-rc1',
    '1.20',
    '1.20.0',
    '1.20.1',
    '1.21-alpha',
    '1.21-alpha.1',
    '1.21-beta',
    '1.21',
    '1.21+b1',
    '1.21.0-SNAPSHOT',
    '10',
    '24w14a',
    'latest',
  ];
  const keys = sorted.map(versionKey);
  expect(keys.toSorted()).toEqual(keys);
  expect(new Set(keys).size).toBe(keys.length);
});

it('versions are shown as they were written, and those that differ in zeros or letter case have the same place in ranges', () => {
  const { term, terms, shown, key } = indexedType('version');
  const written = ['24.04', '24.4', '1.20.1-Forge', '1.20.1-forge', '1.20-RC01', '24w14a', 'Vanilla'];
  expect(written.map(term).map(shown)).toEqual(written);
  expect(new Set(written.map(key)).size).toBe(written.length);
  const rangeOf = (value: string) => terms?.({ gt: value, lte: value });
  expect(['24.04', '1.20.1-Forge'].map(rangeOf)).toEqual(['24.4', '1.20.1-forge'].map(rangeOf));
  expect(['v1.20', 'V1.20', 'v24w14a'].map(term)).toEqual(['1.20', '1.20', '24w14a'].map(term));
});

it('the terms of numbers sort as the numbers do, and show them again', () => {
  const { term, shownTerm } = indexedType('number');
  const numbers = [-9_007_199_254_740_991, -5.5, -1, -0.001, 0, 0.001, 1, 2, 10, 1e9, 9_007_199_254_740_991];
  expect(numbers.map(term).toSorted()).toEqual(numbers.map(term));
  expect(numbers.map(term).map(shownTerm)).toEqual(numbers.map(String));
});

it('no two entries of a group share a key of the same parts, and each choice of parts has one', () => {
  const of = { a: 'keyword', b: 'keyword', c: 'keyword' } as const;
  expect(entryKeys({ a: 'x', b: 'y', c: 'z' }, of)).toHaveLength(12);
  expect(entryKeys({ a: 'x', b: 'y' }, { a: 'keyword', b: 'keyword' })).toHaveLength(4);
  const keys = new Set(entryKeys({ a: 'x', b: 'y', c: 'z' }, of));
  const [another, shared] = [entryKeys({ a: 'xy', b: '', c: 'z' }, of), entryKeys({ a: 'x', b: 'y', c: 'w' }, of)];
  expect(another.filter((key) => keys.has(key))).toHaveLength(1);
  expect(shared.filter((key) => keys.has(key))).toHaveLength(4);
});

const queryOf = (...texts: string[]) => {
  const read = readConditions(texts, FIELDS);
  if ('errors' in read) throw new Error(JSON.stringify(read.errors));
  return read.conditions.map((each) => conditionQuery('where', each));
};
const refusal = (text: string) => {
  const read = readConditions([text], FIELDS);
  return 'errors' in read ? read.errors[0]?.detail : undefined;
};

it('a keyword is compared whole; operators are of numbers, dates and versions', () => {
  expect(queryOf('studio:>=4..8, a:b')).toEqual([{ terms: { 'fields.keyword.studio': ['>=4..8, a:b'] } }]);
  expect(queryOf('players:>=4')).toEqual([{ range: { 'fields.number.players': { gte: 4 } } }]);
  expect(queryOf('players:-4..-1')).toEqual([{ range: { 'fields.number.players': { gte: -4, lte: -1 } } }]);
  expect(queryOf('released:..2026-11-20')).toEqual([{ range: { 'fields.date.released': { lte: '2026-11-20' } } }]);
});

it('an open lower and an open upper end are one range, beside single values, unless nothing is between them', () => {
  expect(queryOf('players:>=4', 'players:<=8')).toEqual([{ range: { 'fields.number.players': { gte: 4, lte: 8 } } }]);
  expect(queryOf('players:<4', 'players:>8')).toEqual([
    {
      bool: {
        should: [{ range: { 'fields.number.players': { lt: 4 } } }, { range: { 'fields.number.players': { gt: 8 } } }],
        minimum_should_match: 1,
      },
    },
  ]);
  expect(queryOf('players:12', 'players:>4', 'players:<8')).toEqual([
    {
      bool: {
        should: [{ terms: { 'fields.number.players': [12] } }, { range: { 'fields.number.players': { gt: 4, lt: 8 } } }],
        minimum_should_match: 1,
      },
    },
  ]);
});

it.each<[string, RegExp]>([
  ['players', /a field, a colon and a value, such as licence:CC0-1.0/],
  ['playerz:4', /"playerz" is not declared; the fields are licence/],
  ['players:four', /players \(number\) .* for example players:4, or as a range >=4/],
  ['players:8..4', /smaller end/],
  ['players:1..2..3', /two dots/],
  ['players:..', /two dots/],
  ['released:2026', /released \(date\)/],
  ['multiplayer:yes', /true or false/],
  ['summary:a', /is a text/],
  ['build:a', /name a part, build.game or build.loader/],
  ['build.os:a', /not declared/],
])('%s says what is wrong and what would be right', (text, detail) => {
  expect(refusal(text)).toMatch(detail);
});

it('more combinations of the values of a group than a search can have are refused', () => {
  const conditions = Array.from({ length: 12 }, (_, n) => [`build.game:1.${n}`, `build.loader:l${n}`]).flat();
  const read = readConditions(conditions, FIELDS);
  expect(read).toEqual({ errors: [{ condition: 'build', detail: expect.stringContaining('144 combinations') as unknown }] });
});

it.each<[string, ScalarType]>([
  ['1e-7', 'number'],
  ['-2.5E+3', 'number'],
])('the condition %s is read as %s, as a count shows it', (text, type) => {
  expect(typeOf(type).parse(text, partDefinition(type))).toEqual({ value: Number(text) });
});

it('each number that can be stored is a condition as a count shows it', () => {
  const { parse, check } = typeOf('number');
  const definition = partDefinition('number');
  const isCondition = (number: number): void => {
    const checked = check(number, definition);
    if ('value' in checked) expect(parse(String(checked.value), definition)).toEqual(checked);
  };
  for (const number of [0.1 * 0.0003, 1.2345678901234567e-6, 1e-20, -(2 ** 53 - 1)]) isCondition(number);
  fc.assert(fc.property(fc.oneof(fc.double({ noNaN: true }), fc.double({ min: -1e-3, max: 1e-3, noNaN: true })), isCondition));
});

it('a value that no condition can ask for is counted for no item', () => {
  const definitions = definitionsOf({ slot: { type: 'group', many: true, of: { a: 'number', b: 'keyword' } } });
  const read = readConditions(['slot.b:x', 'slot.b:y'], definitions);
  const count = countOf('slot.a', definitions, 'conditions' in read ? read.conditions : []);
  expect('queryOf' in count && count.queryOf?.('none')).toEqual({ match_none: {} });
});

it.each(['1..2', '<1', '>=1', '1\u00011'])('%j is no version, since a filter could not ask for it', (text) => {
  expect(Object.keys(problems({ game: [text] }))).toEqual(['game.0']);
});

it('each condition of whereNot excludes by itself: those on parts of a group, and the two ends of a range', () => {
  const definitions = definitionsOf({ ...FILE, slot: { type: 'group', of: { a: 'number', b: 'number' } } });
  const excluded = (...texts: string[]) => {
    const read = readConditions(texts, definitions, 'whereNot');
    if ('errors' in read) throw new Error(JSON.stringify(read.errors));
    return read.conditions.map((each) => conditionQuery('whereNot', each));
  };
  const one = { bool: { must_not: [expect.any(Object)] } };
  expect(excluded('build.game:1.20', 'build.loader:fabric')).toEqual([one, one]);
  expect(excluded('players:>=4', 'players:<=8')).toEqual([one, one]);
  expect(excluded('slot.a:>=1', 'slot.b:>=2')).toEqual([one, one]);
});

it('two ranges in one group are refused, and conditions without declared fields too', () => {
  const two = readConditions(['slot.a:>=1', 'slot.b:>=2'], definitionsOf({ slot: { type: 'group', of: { a: 'number', b: 'number' } } }));
  expect(two).toEqual({ errors: [{ condition: 'slot.a, slot.b', detail: expect.stringContaining('only one part') as unknown }] });
  expect(readConditions(['a:1'], new Map())).toEqual({
    errors: [{ condition: 'a:1', detail: 'must not be given: no fields are declared' }],
  });
});

it('a document does not depend on the values that a field may have, which change without a rebuild', () => {
  const fold = (text: string) => text;
  const values = { licence: 'GPL', players: 0, studio: 7, released: '2026-11-20' };
  expect(indexedFields(values, FIELDS, fold)).toMatchObject({ keyword: { licence: 'GPL' }, number: { players: 0 } });
  expect([outside(values, FIELDS), unfitting(values, FIELDS)]).toEqual([['licence', 'players'], ['studio']]);
});

it('a document has the values that fit, by type, and is without the property if none does', () => {
  const values = { licence: 7, game: ['1.21', '1.9'], players: 4, studio: 'Éclair', summary: 'Long words', old: 1 };
  const fold = (text: string) => text.toLowerCase();
  expect(indexedFields(values, FIELDS, fold)).toEqual({
    versionMany: { game: ['1.21', '1.9'].map(indexedType('version').key) },
    versionManyFirst: { game: indexedType('version').key('1.9') },
    versionManyLast: { game: indexedType('version').key('1.21') },
    number: { players: 4 },
    keyword: { studio: 'Éclair' },
    keywordFirst: { studio: 'éclair' },
  });
  expect([indexedFields({ licence: 7 }, FIELDS, fold), indexedFields({ players: 4 }, new Map(), fold)]).toEqual([undefined, undefined]);
  expect(searchedTexts(values, FIELDS)).toEqual(['Éclair', 'Long words']);
  expect(unfitting(values, FIELDS)).toEqual(['licence']);
});

it('each property of a document is one of the mapping', () => {
  const mapped = fieldProperties(FIELDS) as { properties: Record<string, { properties: Record<string, unknown> }> };
  const values = {
    licence: 'MIT',
    game: ['1.21'],
    players: 4,
    released: '2026-11-20',
    multiplayer: true,
    studio: 'A',
    build: [{ game: '1', loader: 'a' }],
  };
  const indexed = indexedFields(values, FIELDS, String) ?? {};
  for (const [kind, fields] of Object.entries(indexed))
    for (const name of Object.keys(fields)) expect(mapped.properties[kind]?.properties[name]).toBeDefined();
  expect(fieldProperties(new Map())).toBeUndefined();
});

it.each(SCALAR_TYPES)('the example of the type %s is a value of it', (type) => {
  expect(typeOf(type).parse(typeOf(type).example, partDefinition(type))).toHaveProperty('value');
});

// What a hostile item or request costs beside an honest one: what is indexed and searched for, by what is sent.
const PARTS = ['a', 'b', 'c'];
const groupsOf = (count: number, type: string): object =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `f${n}`,
      { type: 'group', many: true, of: Object.fromEntries(PARTS.map((part) => [part, type])) },
    ]),
  );
const dotted = (n: number): string => `${'1.'.repeat(28)}${n}`;

it.each<[string, (n: number) => unknown, number]>([
  ['keyword', (n) => String.fromCharCode(97 + n), 1],
  ['number', (n) => n, 1],
  ['version', String, 1],
  ['version', dotted, 4],
  ['flag', (n) => n % 2 === 0, 1],
  ['date', (n) => `2026-01-${10 + n}`, 1],
])('the largest item with values of the type %s has at most 40 times its bytes in the index', (type, valueOf, step) => {
  const definitions = definitionsOf(groupsOf(MAX_FIELDS, type));
  const entry = (n: number) => Object.fromEntries(PARTS.map((part, at) => [part, valueOf([n, Math.floor(n / 3), n % 3][at] ?? 0)]));
  const itemOf = (fields: number, values: number) =>
    mergeValues(
      definitions,
      Object.fromEntries(Array.from({ length: fields }, (_, n) => [`f${n}`, Array.from({ length: values }, (__, of) => entry(of))])),
      undefined,
    );
  let largest: Values = {};
  for (let values = 1; values <= MAX_VALUES; values += 1) {
    const item = itemOf(MAX_FIELDS / step, values);
    if ('errors' in item) break;
    largest = item.values;
  }
  const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  expect(bytesOf(largest)).toBeGreaterThan(MAX_ITEM_BYTES / 4);
  expect(bytesOf(indexedFields(largest, definitions, String)) / bytesOf(largest)).toBeLessThan(40);
});

it.each<[string, number[], number | undefined]>([
  ['one group', [5, 5, 5], 125],
  ['two groups', [5, 5, 5, 5, 5, 5], 250],
  ['two groups with 32 conditions', [5, 5, 5, 5, 6, 6], undefined],
  ['one group with 32 conditions', [10, 11, 11], undefined],
])('conditions on %s are at most 128 keys for each group', (_, counts, keys) => {
  const conditions = counts.flatMap((count, at) =>
    Array.from({ length: count }, (__, n) => `f${Math.floor(at / 3)}.${PARTS[at % 3]}:${'x'.repeat(90)}${n}`),
  );
  const read = readConditions(conditions, definitionsOf(groupsOf(2, 'keyword')));
  if (keys === undefined)
    expect(read).toEqual({ errors: [expect.objectContaining({ detail: expect.stringContaining('maximum is 128') as unknown })] });
  else if ('errors' in read) throw new Error(JSON.stringify(read.errors));
  else expect(JSON.stringify(read.conditions.map((each) => conditionQuery('where', each))).match(/a\.b\.c/g)).toHaveLength(keys);
});
