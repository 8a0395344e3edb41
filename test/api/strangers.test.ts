import { beforeAll, describe, expect, it } from '@jest/globals';
import { storeContent, type StoredFields } from '../support/database/stored-content.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';

// What one account uploads does not decide what the words of all others mean. Each test has words of its own.

const service = forAllTests(() => startService());
/** `PEOPLE` have uploaded what is to be found, the stranger the rest. */
const PEOPLE = [1, 2, 3, 4, 5, 6, 7, 8];
const STRANGER = 9;
const LATIN = [...'0123456789abcdefghijklmnopqrstuvwxyz'];

beforeAll(async () => {
  const names = Array.from({ length: STRANGER }, (_, n) => `('stranger ${n}', 'test|stranger ${n}')`);
  await service.database.query(`insert into users (username, credential) values ${names.join()}`);
});

async function store(items: StoredFields[]): Promise<number[]> {
  const ids = await storeContent(service.database, items);
  await service.indexed();
  return ids;
}

const byPeople = (count: number, fields: StoredFields): StoredFields[] =>
  PEOPLE.slice(0, count).map((creatorId) => ({ ...fields, creatorId }));
const byStranger = (count: number, toFields: (n: number) => StoredFields): StoredFields[] =>
  Array.from({ length: count }, (_, n) => ({ ...toFields(n), creatorId: STRANGER }));

/** @returns words with one edit, in the order of the dictionary, without those in `known` */
function neighboursOf(typed: string, known: string[], letters = LATIN): string[] {
  const all = [...typed];
  const changed = all.flatMap((_, at) =>
    at === 0 ? [] : letters.flatMap((letter) => [0, 1].map((removed) => all.toSpliced(at, removed, letter).join(''))),
  );
  return [...new Set(changed)].filter((word) => word !== typed && !known.includes(word) && !word.startsWith(typed)).sort();
}

/** Of a length that an upload may have. */
const listed = (words: string[]): string => words.join(' ').slice(0, 9_900);

/** How many items with this word the prompt finds. */
async function foundOf(prompt: string, right: string): Promise<number> {
  const names = await service.client.search(prompt, { size: '200' });
  return names.filter((name) => name === `The ${right}`).length;
}

async function completionsOf(prompt: string): Promise<string[]> {
  const { body } = await service.client.get(`/api/content/suggest?${new URLSearchParams({ prompt })}`);
  return body.completions.map(({ text }: { text: string }) => text);
}

describe('a correction stays', () => {
  const CYRILLIC = [...'абвгдежзийклмнопрстуфхцчшщъыьэюя'];
  const HEBREW = [...'אבגדהוזחטיכלמנסעפצקרשת'];

  it.each<{ what: string; typed: string; right: string; items?: number; letters?: string[]; from?: number; other?: string }>([
    { what: 'one item has 300 words that come before it', typed: 'lighthuose', right: 'lighthouse', items: 1 },
    { what: 'ten items have 300 words that come before it', typed: 'windmlil', right: 'windmill' },
    { what: 'ten items have words that come after it', typed: 'abbeey', right: 'abbey', from: -300 },
    { what: 'ten items have similar words of four letters', typed: 'quya', right: 'quay' },
    { what: 'ten items have Cyrillic words', typed: 'библеотека', right: 'библиотека', letters: CYRILLIC },
    { what: 'ten items have Hebrew words', typed: 'ספרייב', right: 'ספרייה', letters: HEBREW },
    { what: 'ten items have letters of all scripts', typed: 'orangerry', right: 'orangery', letters: [...CYRILLIC, ...HEBREW] },
    { what: 'ten items have accents', typed: 'cafeterra', right: 'cafetéria', letters: [...'áçèñöüßøłđ', ...LATIN] },
    { what: 'ten items have words with two edits', typed: 'greenhuoes', right: 'greenhouse', from: -900 },
    { what: 'ten items have a similar word beside the other one', typed: 'drawbirdge keeper', right: 'drawbridge', other: ' keeper' },
  ])('whatever one account uploads: $what', async ({ typed, right, items = 10, letters, from = 0, other = '' }) => {
    await store(byPeople(3, { name: `The ${right}`, description: other }));
    expect(await foundOf(typed, right)).toBe(3);
    const [word = ''] = typed.split(' ');
    const known = [right, right.normalize('NFD').replace(/\p{M}/gu, '')];
    const neighbours = neighboursOf(word, known, letters)
      .slice(from)
      .slice(0, from < -300 ? 900 : 300);
    await store(byStranger(items, () => ({ name: 'words', description: listed(neighbours.map((one) => one + other)) })));
    expect(await foundOf(typed, right)).toBe(3);
  });
});

describe('what others have is found, although one account', () => {
  it.each([
    ['uploads the misspelling itself', 'boatyrad', 'boatyard', 1],
    ['uploads it ten times', 'fishmogner', 'fishmonger', 10],
  ])('%s', async (_, typed, right, items) => {
    await store(byPeople(3, { name: `The ${right}` }));
    await store(byStranger(items, () => ({ name: typed, description: `buy ${typed}` })));
    expect(await foundOf(typed, right)).toBe(3);
    expect((await service.client.search(typed, { sort: 'relevance' }))[0]).toBe(typed);
  });

  it('has deleted the items with similar words, of which the index still has the words', async () => {
    await store([{ name: 'The campanile', creatorId: 1 }]);
    const neighbours = neighboursOf('campanlie', ['campanile']).slice(0, 250);
    const ids = await store(byStranger(10, () => ({ name: 'words', description: listed(neighbours) })));
    for (const id of ids) expect((await service.client.send('DELETE', `/api/content/${id}`, undefined, STRANGER)).status).toBe(204);
    await service.indexed();
    expect(await foundOf('campanlie', 'campanile')).toBe(1);
  });

  it('has words that come before theirs, in the dictionary, of those with the beginning', async () => {
    const words = Array.from({ length: 90 }, (_, n) => `thunderstormw${10 + n}`);
    await store([{ name: 'The thunderstormwatchers', description: 'weather thunderstormwatchers', creatorId: 1 }]);
    await store(byStranger(10, (n) => ({ name: words.slice(9 * n, 9 * n + 9).join(' ') })));
    expect(await completionsOf('the thunderstormw')).toContain('The thunderstormwatchers');
    expect(await service.client.search('weather-thunderstormw')).toEqual(['The thunderstormwatchers']);
  });
});

it('a word of one account corrects if nothing else does, as where one account has uploaded everything', async () => {
  await store(byStranger(5, () => ({ name: 'The gatehouse', description: 'gatehose' })));
  expect(await foundOf('gatehuose', 'gatehouse')).toBe(5);
  await store([{ name: 'gatehuouse', creatorId: 1 }]);
  expect(await foundOf('gatehuose', 'gatehouse')).toBe(5);
});

describe('completions have, beside those of an account with many items,', () => {
  it.each([10, 120])('names of others: %i items', async (items) => {
    const word = `quarry${'x'.repeat(items % 7)}`;
    await store(byPeople(3, { name: `The ${word}` }));
    await store(byStranger(items, (n) => ({ name: `${word} ${n}`, createdAt: '2026-06-01T00:00:00Z' })));
    expect(await completionsOf(word.slice(0, -1))).toContain(`The ${word}`);
  });

  it.each([10, 120])('names of others that have the words in another order: %i items', async (items) => {
    const word = `gantry${'x'.repeat(items % 7)}`;
    await store(byPeople(3, { name: `The ${word} cranes` }));
    await store(byStranger(items, (n) => ({ name: `${word} of crane ${n}`, createdAt: '2026-06-01T00:00:00Z' })));
    expect(await completionsOf(`crane ${word.slice(0, -1)}`)).not.toContain(`The ${word} cranes`);
    expect(await completionsOf(`cranes ${word.slice(0, -1)}`)).toContain(`The ${word} cranes`);
    await store(byPeople(3, { name: `A ${word} and its crane` }));
    expect(await completionsOf(`crane ${word.slice(0, -1)}`)).toContain(`A ${word} and its crane`);
  });

  it.each([10, 120])('tags of others: %i items', async (items) => {
    const word = `trellis${'x'.repeat(items % 7)}`;
    await store(byPeople(3, { name: 'a', tags: [`${word} green`] }));
    const tags = Array.from({ length: 8 }, (_, n) => `${word} ${n}`);
    await store(byStranger(items, () => ({ name: 'b', tags, createdAt: '2026-06-01T00:00:00Z' })));
    expect((await completionsOf(word.slice(0, -1)))[0]).toBe(`${word} green`);
  });
});
