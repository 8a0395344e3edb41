import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';
import { storeContent } from '../support/database/stored-content.ts';

describe('a prompt', () => {
  const service = forAllTests(() => startService());
  beforeAll(async () => {
    const { database } = service;
    await database.query(`insert into users (username, credential) values ('Zephyr Quill', 'test|zephyr'), ('Maya', 'test|maya')`);
    await storeContent(database, [
      { creatorId: 4, name: 'by its creator', description: 'word', tags: ['word'], createdAt: '2026-01-04T00:00:00Z' },
      { creatorId: 5, name: 'by its description', description: 'zephyr', tags: ['word'], createdAt: '2026-01-03T00:00:00Z' },
      { creatorId: 5, name: 'by its tags', description: 'word', tags: ['zephyr'], createdAt: '2026-01-02T00:00:00Z' },
      { creatorId: 5, name: 'zephyr by name', description: 'word', tags: ['word'], createdAt: '2026-01-01T00:00:00Z' },

      { name: 'Lighthouse at dusk', description: 'A pixel-art wallpaper of a misty harbour', tags: ['pixel art', 'wallpaper'] },
      { name: 'Running dogs', description: 'Three dogs in the snow', tags: ['animals'] },
      { name: 'Café menu', description: 'Prices of the Crème brûlée', tags: ['food'] },
      { name: 'Naive melody', description: 'played on a saxophone', tags: ['music'] },
      { name: 'Red apple pie', description: 'A recipe for a cake', tags: ['food'] },
      { name: 'Red pear tart', description: 'An apple is not in it', tags: ['food'] },
      { name: 'To be or not to be', description: 'that is the question', tags: ['theatre'] },
      { name: 'Hidden', description: 'nothing', data: 'secretpayload 4711' },
      { name: '東京の夜', description: '夜景', tags: ['日本'] },
      { name: 'Прогулка', description: 'по лесу' },
      { name: 'שלום עולם', description: 'مرحبا' },
      { name: 'Party 🎉', description: 'half a cup ½ of C++ and C#' },
      { name: 'field:x AND y', description: 'a ~2 [1 TO 2] {"match_all":{}}' },
    ]);
    await service.indexed();
  });

  const total = async (prompt: string): Promise<number> => (await service.client.list({ prompt, size: 1 })).body.totalElements;
  const ALL = 17;

  it('ranks matches in the name over tags, description and creator name, in this order', async () => {
    const order = ['zephyr by name', 'by its tags', 'by its description', 'by its creator'];
    for (const sort of ['relevance', 'relevance,desc']) expect(await service.client.search('zephyr', { sort })).toEqual(order);
    expect(await service.client.search('zephyr', { sort: 'relevance,asc' })).toEqual(order.toReversed());
    expect(await service.client.search('zephyr')).toEqual(order.toReversed());
  });

  it.each<[string, string, string]>([
    ['a word in any letter case', 'LIGHTHOUSE', 'Lighthouse at dusk'],
    ['another form of a word', 'run', 'Running dogs'],
    ['the singular of a plural', 'dog', 'Running dogs'],
    ['the plural of a singular', 'lighthouses', 'Lighthouse at dusk'],
    ['the noun of a possessive', "lighthouse's", 'Lighthouse at dusk'],
    ['accents by plain letters', 'cafe', 'Café menu'],
    ['plain letters by accents', 'naïve', 'Naive melody'],
    ['combining accents', 'cafe\u0301', 'Café menu'],
    ['several accents', 'creme brulee', 'Café menu'],
    ['a word with two letters swapped', 'lighthuose', 'Lighthouse at dusk'],
    ['a word with a missing letter', 'wallpapr', 'Lighthouse at dusk'],
    ['a word with an extra letter', 'saxophonne', 'Naive melody'],
    ['a word with a wrong letter', 'saxaphone', 'Naive melody'],
    ['the last word as a prefix', 'misty harb', 'Lighthouse at dusk'],
    ['the only word as a prefix', 'lighth', 'Lighthouse at dusk'],
    ['a tag', 'animals', 'Running dogs'],
    ['words from several fields', 'lighthouse wallpaper', 'Lighthouse at dusk'],
    ['words with punctuation around them', '(lighthouse), harbour!', 'Lighthouse at dusk'],
    ['a hyphenated word by its parts', 'pixel-art', 'Lighthouse at dusk'],
    ['a phrase', '"dogs in the snow"', 'Running dogs'],
    ['a phrase and a word', '"misty harbour" wallpaper', 'Lighthouse at dusk'],
    ['Japanese', '東京', '東京の夜'],
    ['Cyrillic, in another case', 'прогулка', 'Прогулка'],
    ['Hebrew', 'שלום', 'שלום עולם'],
    ['Arabic', 'مرحبا', 'שלום עולם'],
    ['an emoji', '🎉', 'Party 🎉'],
    ['a fraction', '1/2', 'Party 🎉'],
    ['a fraction in one character', '½', 'Party 🎉'],
    ['a word beside an emoji', 'party 🎉', 'Party 🎉'],
  ])('matches %s, for example %s', async (_, prompt, name) =>
    expect(await service.client.search(prompt, { sort: 'relevance' })).toContain(name),
  );

  it.each<[string, string, string[]]>([
    ['a phrase only in its order', '"snow dogs"', []],
    ['a phrase only completely', '"red apple"', ['Red apple pie']],
    ['items without an excluded word', 'red -pie', ['Red pear tart']],
    ['items without any form of an excluded word', 'red -tarts', ['Red apple pie']],
    ['items without an excluded phrase', 'food -"apple pie"', ['Café menu', 'Red pear tart']],
    ['nothing when the same word is excluded', 'lighthouse -lighthouse', []],
    ['stop words literally when there are no other words', 'to be', ['To be or not to be']],
    ['all stop words of a prompt of stop words', 'to be or not', ['To be or not to be']],
    ['stop words in a phrase', '"to be or not to be"', ['To be or not to be']],
  ])('matches %s, for example %s', async (_, prompt, names) => expect((await service.client.search(prompt)).sort()).toEqual(names));

  it('matches everything except the exclusions when the prompt has only exclusions', async () => {
    expect(await total('-food')).toBe(ALL - 3);
    expect(await total('-"red apple" -lighthouse')).toBe(ALL - 2);
  });

  it.each(['', ' ', '\t', '\u00a0\u3000', ' \n ', '\u200b', '\u3164 \u2800', '\u202e\u00ad', '\u0001\u0085'])(
    'matches every item when it is blank: %j',
    async (prompt) => expect(await total(prompt)).toBe(ALL),
  );

  it.each([
    '*',
    '***',
    '?',
    '-',
    '--',
    '""',
    '"',
    "''",
    '( )',
    '!?.,;',
    '&&',
    '||',
    '\\',
    '/',
    '~',
    '^',
    '+ -',
    '€',
    '<>',
    '-***',
    '"***"',
  ])('matches nothing when it has no searchable term: %s', async (prompt) => expect(await total(prompt)).toBe(0));

  it.each(['secretpayload', '4711', '"secretpayload 4711"'])('matches nothing in the field data: %s', async (prompt) =>
    expect(await total(prompt)).toBe(0),
  );
  it.each(['nowhere', 'qqqqqq', 'deleted', 'false', 'matchnone'])('matches nothing for words that no item has: %s', async (prompt) =>
    expect(await total(prompt)).toBe(0),
  );

  describe('has no query language, so that', () => {
    it.each([
      'name:lighthouse', 'creatorId:1', '_exists_:name', 'lighth*', '*', '?ighthouse', '/.*/', '/light.*/', 'zzzz~2', 'lighthouse^100', '[1 TO 9]', '{1 TO 9}', '>=1', 'nowhere OR nobody', 'nowhere || nobody',
      '{"match_all":{}}', '"}}]},"query":{"match_all":{}}', '${jndi:ldap://x}', "'; drop table content; --", '<script>', '%s%n', '../../_all/_search',
    ])('%s does not match every item', async (prompt) => expect(await total(prompt)).toBeLessThan(5)); // prettier-ignore

    it.each([
      ['lighthouse AND dusk', 'Lighthouse at dusk'],
      ['lighthouse && dusk', 'Lighthouse at dusk'],
      ['+lighthouse +dusk', 'Lighthouse at dusk'],
      ['lighthouse (dusk)', 'Lighthouse at dusk'],
      ['lighthouse [dusk', 'Lighthouse at dusk'],
      ['lighthouse "dusk', 'Lighthouse at dusk'],
      ['dusk\\', 'Lighthouse at dusk'],
      ['dusk !', 'Lighthouse at dusk'],
      ['party ½', 'Party 🎉'],
      ['party €', 'Party 🎉'],
      ['party ②', 'Party 🎉'],
      ['field:x', 'field:x AND y'],
    ])('%s matches as its words do', async (prompt, name) => expect(await service.client.search(prompt)).toContain(name));
  });
});
