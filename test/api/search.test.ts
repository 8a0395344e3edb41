import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSynonyms } from '@ugc/api/search/prompt/read-synonyms';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeContent, type StoredFields } from '../support/database/stored-content.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import type { Environment } from '../support/processes/environment.ts';
import { type Service, startService } from '../support/processes/service.ts';

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
      { name: 'Party 🎉', description: 'half a cup ½ of C++ and C#' },
      { name: 'field:x AND y', description: 'a ~2 [1 TO 2] {"match_all":{}}' },
    ]);
    await service.indexed();
  });

  const total = async (prompt: string): Promise<number> => (await service.client.list({ prompt, size: 1 })).body.totalElements;
  const ALL = 14;

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

  it.each(['*', '-', '""', '!?.,;', '€', '-***'])('matches nothing when it has no searchable term: %s', async (prompt) =>
    expect(await total(prompt)).toBe(0),
  );

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

describe('explain=true says for each item what counts for its place:', () => {
  const service = forAllTests(() => startService());
  beforeAll(async () => {
    await storeContent(service.database, [
      { name: 'Copper kettle drawing' },
      { name: 'Copper kettle', description: 'a drawing of it' },
      { name: 'Drawing of a teapot', description: 'copper' },
      { name: 'A portrait', description: 'Eugene at home' },
      { name: 'A leaflet', description: 'on eugenics' },
      { name: 'Tâche du jour' },
      { name: 'Tache noire' },
      { name: 'One OR gate circuit' },
      { name: 'One AND gate circuit' },
      { name: 'Brindlecap', tags: ['stl'] },
      { name: 'Wooden puppeteers' },
    ]);
    await service.indexed();
  });

  type Parameters = Record<string, string | number>;
  const explained = (prompt: string, parameters: Parameters = {}) =>
    service.client.list({ prompt, explain: 'true', sort: 'relevance', size: 50, ...parameters });
  const reasonsOf = async (prompt: string, parameters?: Parameters) =>
    Object.fromEntries((await explained(prompt, parameters)).body.content.map(({ name, reasons }) => [name, reasons]));

  const TOGETHER = ['someWordsInName', 'adjacentWords', 'nearWords'];
  const PROMPTS: [string, Record<string, string[]>][] = [
    [
      'copper kettle drawing',
      {
        'Copper kettle drawing': ['name', 'allWords', 'wordsInName', ...TOGETHER],
        'Copper kettle': ['allWords', ...TOGETHER],
        'Drawing of a teapot': [],
      },
    ],
    ['eugene', { 'A portrait': ['writtenWord'], 'A leaflet': [] }],
    ['tâche', { 'Tâche du jour': ['writtenWord', 'accent', 'wordsInName'], 'Tache noire': ['writtenWord', 'wordsInName'] }],
    [
      'or gate circuit',
      {
        'One OR gate circuit': ['wordsInName', 'smallWordsInName', ...TOGETHER],
        'One AND gate circuit': ['wordsInName', ...TOGETHER],
      },
    ],
    ['brindlecap stl', { Brindlecap: ['someWordsInName'] }],
    ['wooden puppeteer', { 'Wooden puppeteers': ['formsInName', 'someWordsInName'] }],
    ['(wooden), puppeteesr!', { 'Wooden puppeteers': ['name', 'wordsInName', ...TOGETHER] }],
  ];

  it.each(PROMPTS.flatMap(([prompt, reasons]) => ['relevance', 'best'].map((sort) => [prompt, sort, reasons] as const)))(
    '%s by %s',
    async (prompt, sort, reasons) => expect(await reasonsOf(prompt, { sort })).toEqual(reasons),
  );

  it('with correct=false too, whatever was searched before', async () => {
    const prompts = ['eugene', 'copper kettle drawing', 'wooden puppeteer'];
    const all = () => Promise.all(prompts.map((prompt) => reasonsOf(prompt, { correct: 'false' })));
    const cold = await all();
    expect(cold[0]).toEqual({ 'A portrait': ['writtenWord'], 'A leaflet': [] });
    for (const prompt of prompts) await reasonsOf(prompt);
    expect(await all()).toEqual(cold);
  });

  it('the id of an item', async () => {
    const { body } = await service.client.list({ prompt: 'brindlecap' });
    const id = body.content[0]?.contentId ?? NaN;
    expect(await reasonsOf(`#${id}`)).toEqual({ Brindlecap: ['id'] });
  });

  it('the order stays the same, and so do the reasons on each page', async () => {
    for (const sort of ['relevance', 'best']) {
      const names = await service.client.search('copper kettle drawing', { sort });
      for (const [page, name] of names.entries()) {
        const { content } = (await explained('copper kettle drawing', { sort, size: 1, page })).body;
        expect(content).toMatchObject([{ name, reasons: PROMPTS[0]?.[1][name] }]);
      }
    }
  });

  it.each<[string, string, Parameters]>([
    ['without explain', 'copper', { explain: 'false' }],
    ['in another order', 'copper', { sort: 'name' }],
    ['in the ascending order', 'copper', { sort: 'relevance,asc' }],
    ['without a prompt', ' ', {}],
  ])('items have no reasons %s', async (_, prompt, parameters) => {
    const { content } = (await explained(prompt, parameters)).body;
    expect(content.length).toBeGreaterThan(1);
    for (const item of content) expect(item).not.toHaveProperty('reasons');
  });

  it('no reason counts if the prompt only excludes', async () =>
    expect(await reasonsOf('-copper -gate -tache -brindlecap -puppeteers')).toEqual({ 'A portrait': [], 'A leaflet': [] }));
});

describe('languages', () => {
  let service: Service;
  afterAll(() => service.stop());
  beforeAll(async () => {
    service = await startService();
    await storeContent(service.database, [
      // Chinese and Japanese
      { name: '東京の夜', description: '新宿の夜景と居酒屋', tags: ['日本'] },
      { name: '京都の朝', description: '東山から見た町' },
      { name: '中文入门', description: '学习汉字的方法' },
      { name: 'ガンダム プラモデル', description: 'ロボットの模型' },
      { name: 'Ｆｕｌｌｗｉｄｔｈ ｶﾞﾗｽ', description: '２０２４' },
      // Korean
      { name: '한국어 사전', description: '초보자를 위한 단어' },
      // Arabic and Persian
      { name: 'مُحَمَّد والمدرسة', description: 'قصّة قصيرة عن أطفال القرية سنة ٢٠٢٤' },
      { name: 'كتاب الشعر', description: 'إلى مكتبة' },
      // Hebrew
      { name: 'שָׁלוֹם עולם', description: 'סיפור על צה״ל' },
      // Cyrillic
      { name: 'Ёлка в лесу', description: 'Зимний вечер' },
      { name: 'Мой дом', description: 'За\u0301мок на горе' },
      { name: 'Київ уночі', description: 'фото' },
      // Greek
      { name: 'Οδυσσέας', description: 'Ταξίδι στην Ιθάκη' },
      // Hindi
      { name: 'हिन्दी फ़िल्म', description: 'पुरानी कहानी १९७५' },
      { name: 'कल', description: 'समय' },
      { name: 'काला', description: 'रंग' },
      // Thai and Khmer
      { name: 'ภาษาไทยเบื้องต้น', description: 'เรียนทำอาหารและน้ำใจ' },
      { name: 'សួស្តីពិភពលោក', description: '' },
      // Latin
      { name: 'Straße nach Süden', description: 'Übermäßig schöne Größe' },
      { name: 'İstanbul ışıkları', description: 'ILIK bir gün' },
      { name: 'Żółta łódź', description: 'Jezioro w górach' },
      { name: 'Phở Hà Nội', description: 'món ăn' },
      // Emoji
      { name: 'Family 👨‍👩‍👧', description: 'picnic' },
      { name: 'Girl 👧', description: 'portrait' },
      { name: 'Applause 👍🏽', description: 'hands' },
      { name: 'Love ❤️', description: 'cards' },
      { name: 'Berlin 🇩🇪', description: 'city' },
      { name: 'Paris 🇫🇷', description: 'city' },
      { name: 'Pride 🏳️‍🌈', description: 'parade' },
      { name: 'White flag 🏳️', description: 'signal' },
      // Literals
      { name: 'C++入門', description: 'プログラミング' },
      { name: 'Lego™ castle', description: '2½ hours' },
    ]);
    await service.indexed();
  });

  type Row = [prompt: string, found: string[], notFound: string[]];

  const TABLE: Record<string, Row[]> = {
    'Chinese and Japanese': [
      ['東京', ['東京の夜'], ['京都の朝']],
      ['京都', ['京都の朝'], ['東京の夜']],
      ['夜景', ['東京の夜'], ['京都の朝']],
      ['日本', ['東京の夜'], ['京都の朝']],
      ['汉字', ['中文入门'], ['東京の夜']],
      ['東京 新宿', ['東京の夜'], ['京都の朝']],
      ['"東京の夜"', ['東京の夜'], ['京都の朝']],
      ['東京 -新宿', [], ['東京の夜']],
      ['ガンダム', ['ガンダム プラモデル'], ['東京の夜']],
      ['ｶﾞﾝﾀﾞﾑ', ['ガンダム プラモデル'], []],
      ['fullwidth', ['Ｆｕｌｌｗｉｄｔｈ ｶﾞﾗｽ'], []],
      ['ガラス 2024', ['Ｆｕｌｌｗｉｄｔｈ ｶﾞﾗｽ'], []],
      ['カンダム', [], ['東京の夜']],
    ],
    Korean: [
      ['한국어', ['한국어 사전'], []],
      ['한국어'.normalize('NFD'), ['한국어 사전'], []],
      ['초보자를 단어', ['한국어 사전'], []],
      ['중국어', [], ['한국어 사전']],
    ],
    'Arabic and Persian': [
      ['محمد', ['مُحَمَّد والمدرسة'], ['كتاب الشعر']],
      ['والمدرسه', ['مُحَمَّد والمدرسة'], []],
      ['قصة', ['مُحَمَّد والمدرسة'], ['كتاب الشعر']],
      ['اطفال', ['مُحَمَّد والمدرسة'], []],
      ['2024', ['مُحَمَّد والمدرسة'], ['كتاب الشعر']],
      ['کتاب', ['كتاب الشعر'], ['مُحَمَّد والمدرسة']],
      ['الى', ['كتاب الشعر'], []],
      ['كـــتاب', ['كتاب الشعر'], []],
    ],
    Hebrew: [
      ['שלום', ['שָׁלוֹם עולם'], []],
      ['צה"ל', ['שָׁלוֹם עולם'], []],
      ['צה״ל', ['שָׁלוֹם עולם'], []],
      ['סיפורים', [], ['Οδυσσέας']],
    ],
    Cyrillic: [
      ['елка', ['Ёлка в лесу'], ['Мой дом']],
      ['ЁЛКА', ['Ёлка в лесу'], []],
      ['замок', ['Мой дом'], []],
      ['и\u0306', [], ['Мой дом', 'Ёлка в лесу']],
      ['зимний'.normalize('NFD'), ['Ёлка в лесу'], []],
      ['Київ', ['Київ уночі'], []],
    ],
    Greek: [
      ['οδυσσεασ', ['Οδυσσέας'], []],
      ['ΟΔΥΣΣΕΑΣ', ['Οδυσσέας'], []],
      ['οδυσσέας ιθακη', ['Οδυσσέας'], []],
      ['ταξιδι', ['Οδυσσέας'], []],
    ],
    Hindi: [
      ['हिन्दी', ['हिन्दी फ़िल्म'], ['कल', 'काला']],
      ['फिल्म', ['हिन्दी फ़िल्म'], []],
      ['1975', ['हिन्दी फ़िल्म'], []],
      ['कल', ['कल'], ['काला']],
    ],
    'Thai and Khmer': [
      ['ภาษา', ['ภาษาไทยเบื้องต้น'], []],
      ['ภาษาไทย', ['ภาษาไทยเบื้องต้น'], []],
      ['อาหาร', ['ภาษาไทยเบื้องต้น'], []],
      ['น้ำใจ', ['ภาษาไทยเบื้องต้น'], []],
      ['ลาว', [], ['ภาษาไทยเบื้องต้น']],
      ['ពិភពលោក', ['សួស្តីពិភពលោក'], []],
    ],
    German: [
      ['strasse', ['Straße nach Süden'], []],
      ['STRASSE SUDEN', ['Straße nach Süden'], []],
      ['ubermassig', ['Straße nach Süden'], []],
      ['Größe', ['Straße nach Süden'], []],
    ],
    Turkish: [
      ['istanbul', ['İstanbul ışıkları'], []],
      ['ISTANBUL', ['İstanbul ışıkları'], []],
      ['ISIKLARI', ['İstanbul ışıkları'], []],
      ['ılık', ['İstanbul ışıkları'], []],
    ],
    'Polish and Vietnamese': [
      ['zolta lodz', ['Żółta łódź'], []],
      ['ŻÓŁTA ŁÓDŹ'.normalize('NFD'), ['Żółta łódź'], []],
      ['gorach', ['Żółta łódź'], []],
      ['pho ha noi', ['Phở Hà Nội'], []],
    ],
    emoji: [
      ['👨‍👩‍👧', ['Family 👨‍👩‍👧'], ['Girl 👧']],
      ['👧', ['Girl 👧'], ['Family 👨‍👩‍👧']],
      ['👍', ['Applause 👍🏽'], []],
      ['👍🏿', ['Applause 👍🏽'], []],
      ['❤', ['Love ❤️'], []],
      ['❤️', ['Love ❤️'], []],
      ['🇩🇪', ['Berlin 🇩🇪'], ['Paris 🇫🇷']],
      ['🏳️‍🌈', ['Pride 🏳️‍🌈'], ['White flag 🏳️']],
    ],
    'words between scripts': [
      ['入門', ['C++入門'], []],
      ['C++', ['C++入門'], []],
      ['C＋＋', ['C++入門'], []],
      ['lego', ['Lego™ castle'], []],
      ['1/2', ['Lego™ castle'], []],
    ],
  };

  describe.each(Object.entries(TABLE))('in %s', (_script, rows) => {
    it.each(rows)('the prompt %s finds %j and does not find %j', async (prompt, found, notFound) => {
      const names = await service.client.search(prompt, { sort: 'relevance' });
      expect(names).toEqual(expect.arrayContaining(found));
      expect(names.filter((name) => notFound.includes(name))).toEqual([]);
    });
  });

  it('the stored source of an item has none of the fields that are only searched', async () => {
    const { hits } = await service.elasticsearch.search({
      index: service.env['CONTENT_ALIAS'],
      size: 1,
      query: { match: { text: 'lego' } },
    });
    expect(hits.hits[0]?._source).toMatchObject({ name: 'Lego™ castle' });
    for (const field of ['folded', 'literals', 'nameKey']) expect(hits.hits[0]?._source).not.toHaveProperty(field);
  });
});

const AS_WRITTEN = {
  phrases: [],
  excluded: [],
  dropped: [],
  corrected: [],
  split: [],
  joined: [],
  missing: [],
};

describe('a prompt is interpreted, so that', () => {
  const service = forAllTests(() => startService());
  beforeAll(async () => {
    await storeContent(service.database, [
      { name: 'Lighthouse at dusk', description: 'a misty harbour' },
      { name: 'Folding a dice tower', description: 'plywood and patience', creatorId: 2 },
      { name: 'Harvest soup', description: 'carrots, a marrow' },
      { name: 'Two harvests', description: 'one soup, another soup' },
      { name: 'Sailing for beginners', description: 'a boat with a narrow keel and a narrow bow', tags: ['sailing'] },
      { name: 'Barrow', description: 'a wheel, two handles' },
      { name: 'Marmalade, an introduction to preserving', description: 'oranges' },
      { name: 'My e-mail archive', description: 'with Wi-Fi' },
      { name: 'harvest', description: 'soup' },
      { name: 'Introduction', description: 'about which any other harvest soup harvest soup' },
      { name: 'A keychain' },
      { name: 'Key chain ring' },
      { name: 'Bramble jelly' },
      { name: 'Bramble wine', description: 'with a harp' },
      { name: 'Brambly hedge' },
    ]);
    await service.indexed();
  });

  const search = (prompt: string, parameters: Record<string, string> = {}) =>
    service.client.search(prompt, { sort: 'relevance', ...parameters });
  const interpret = async (prompt: string, parameters: Record<string, string> = {}) =>
    (await service.client.list({ prompt, explain: 'true', ...parameters })).body.interpretation;
  const correctionOf = async (prompt: string, parameters: Record<string, string> = {}) =>
    (await service.client.list({ prompt, ...parameters })).headers.get('search-correction');

  it.each([
    ['lighthuose', 'lighthouse', 'letters swapped'],
    ['harbuor', 'harbour', 'letters swapped'],
    ['saling', 'sailing', 'a missing letter'],
    ['plywoood', 'plywood', 'an extra letter'],
    ['patiense', 'patience', 'a wrong letter'],
    ['introductoin', 'introduction', 'letters swapped in a long word'],
    ['intradoction', 'introduction', 'two wrong letters in a long word'],
  ])('a word that occurs nowhere is corrected: %s to %s', async (prompt, word) => {
    expect(await interpret(prompt)).toMatchObject({ corrected: [{ from: prompt, to: word }] });
    expect(await search(prompt)).toEqual(await search(word));
  });

  it('the correction is the similar word that most items contain', async () => {
    expect(await interpret('carow')).toMatchObject({ corrected: [], missing: ['carow'] });
    expect(await interpret('harvesst soop')).toMatchObject({
      words: ['harvest', 'soup'],
      corrected: [
        { from: 'harvesst', to: 'harvest' },
        { from: 'soop', to: 'soup' },
      ],
    });
  });

  it('the correction is a rarer word that fits the words next to it, if there is one', async () => {
    expect(await interpret('bramblx')).toMatchObject({ corrected: [{ from: 'bramblx', to: 'bramble' }] });
    expect(await interpret('bramblx hedge')).toMatchObject({ corrected: [{ from: 'bramblx', to: 'brambly' }] });
    expect(await search('bramblx hedge')).toEqual(['Brambly hedge']);
  });

  it('words that occur are never corrected, even if another word is more frequent', async () => {
    expect(await interpret('barrow marrow')).toMatchObject({ ...AS_WRITTEN, words: ['barrow', 'marrow'] });
    expect(await search('marrow')).toEqual(['Harvest soup']);
  });

  it.each(['sail', 'sailings', 'harvesting', 'lightho', 'harb', '2024', 'r2d2', 'soup -harvset'])(
    'words are not corrected when their stem or their beginning occurs, when they contain digits, or when they are excluded: %s',
    async (prompt) => expect(await correctionOf(prompt)).toBeNull(),
  );

  it('whether a word occurs does not depend on filters and sort', async () => {
    expect(await search('lighthuose', { creatorId: '2' })).toEqual([]);
    expect(await interpret('lighthouse', { creatorId: '2', sort: 'name' })).toMatchObject({ words: ['lighthouse'], missing: [] });
    expect(await correctionOf('lighthuose', { creatorId: '2', sort: 'name' })).toBe('lighthuose=lighthouse');
  });

  it.each([
    ['dicetower', 'dice tower', 'Folding a dice tower'],
    ['email', 'e mail', 'My e-mail archive'],
    ['wifi', 'wi fi', 'My e-mail archive'],
  ])('a word that occurs nowhere is split where both parts occur next to each other: %s', async (prompt, to, name) => {
    expect(await interpret(prompt)).toMatchObject({ words: [to], split: [{ from: prompt, to }], corrected: [] });
    expect(await search(prompt)).toEqual([name]);
  });

  it('a word is not split when its parts occur only apart', async () => {
    expect(await interpret('wheelhandles')).toMatchObject({ split: [], missing: ['wheelhandles'] });
    // "a" before a noun says nothing.
    expect(await interpret('amarrow')).toMatchObject({ split: [], missing: ['amarrow'] });
  });

  it('adjacent words are joined when the joined word occurs', async () => {
    expect(await search('light house')).toEqual(['Lighthouse at dusk']);
    expect(await search('a light house at dusk')).toContain('Lighthouse at dusk');
    expect(await interpret('light house')).toMatchObject({
      words: ['light', 'house'],
      joined: [{ from: 'light house', to: 'lighthouse' }],
      required: 2,
    });
  });

  it('an item with the joined word is found once it is indexed, and no fewer words are required, whatever was searched before', async () => {
    expect(await search('bramble keel')).toHaveLength(4);
    await storeContent(service.database, [{ name: 'Bramblekeel' }]);
    await service.indexed();
    expect(await search('bramble keel')).toEqual(['Bramblekeel']);
    // The item is excluded by the filter, but it exists.
    expect(await search('bramble keel', { tags: 'sailing' })).toEqual([]);
    expect(await interpret('bramble keel', { tags: 'sailing' })).toMatchObject({ relaxed: false, joined: [{ to: 'bramblekeel' }] });
  });

  it('joined, split and corrected words are named in the header Search-Correction', async () => {
    expect(await correctionOf('lighthouse')).toBeNull();
    expect(await correctionOf('light house dicetower harbuor')).toBe('harbuor=harbour&dicetower=dice%20tower&light%20house=lighthouse');
    const many = Array.from({ length: 14 }, (_, n) => ['lighthuose', 'harbuor', 'plywoood'][n % 3]).join(' ');
    expect((await correctionOf(many))?.length).toBeLessThanOrEqual(1_024);
  });

  it('with correct=false a prompt is searched as it is written', async () => {
    for (const prompt of ['lighthuose', 'dicetower', 'light house']) {
      expect(await search(prompt, { correct: 'false' })).toEqual([]);
      expect(await interpret(prompt, { correct: 'false' })).toMatchObject({ corrected: [], split: [], joined: [] });
      expect(await correctionOf(prompt, { correct: 'false' })).toBeNull();
    }
    expect(await search('lightho', { correct: 'false' })).toEqual(['Lighthouse at dusk']);
  });

  it('with correct=false, and in a description, a word has no other forms, whatever was searched before', async () => {
    const variantsOf = async (prompt: string, parameters: Record<string, string> = {}) =>
      (await interpret(prompt, parameters))?.variants.map(({ to }) => to);
    const described = 'keychain for six to eight people with marbled plywood walls and quiet felt';
    expect(await variantsOf(described)).toEqual([]);
    expect(await variantsOf('keychain')).toEqual(['key chain']);
    expect(await variantsOf('keychain', { correct: 'false' })).toEqual([]);
    expect(await variantsOf(described)).toEqual([]);
    expect(await variantsOf('keychain plywood')).toEqual(['key chain']);
  });

  it('without explain=true, and without a prompt, the page has only the fields of the specification', async () => {
    for (const parameters of [{ prompt: 'lighthuose' }, { explain: 'true' }, { prompt: 'soup', explain: 'false' }] as Record<
      string,
      string
    >[])
      expect((await service.client.list(parameters)).body).not.toHaveProperty('interpretation');
  });

  it('explain=true names all parts of the prompt', async () => {
    expect(await interpret('which soup about the "misty harbour" -wheel -"two handles" harv')).toEqual({
      ...AS_WRITTEN,
      words: ['soup', 'harv'],
      match: 'most',
      required: 2,
      phrases: ['misty harbour'],
      excluded: ['wheel', 'two handles'],
      dropped: ['which', 'about', 'the'],
      missing: [],
      unfinished: 'harv',
      relaxed: false,
      variants: [],
    });
  });

  describe('match decides how many words an item must contain:', () => {
    it.each([
      ['any', ['Folding a dice tower', 'Lighthouse at dusk', 'Barrow']],
      ['most', ['Folding a dice tower']],
      ['all', []],
    ])('%s', async (match, names) => expect((await search('plywood patience dusk wheel', { match })).sort()).toEqual(names.toSorted()));

    it('most counts a repeated word as two words, all does not', async () => {
      expect(await interpret('keel keel nowhere')).toMatchObject({ required: 2, relaxed: false });
      expect(await search('keel keel nowhere')).toEqual(['Sailing for beginners']);
      expect(await interpret('keel nowhere')).toMatchObject({ required: 1, relaxed: true });
      expect(await search('keel keel nowhere', { match: 'all' })).toEqual([]);
    });

    it('most requires one word of a prompt with more than eight', async () => {
      const prompt = 'plywood marmalade keel orange carrot barrow nowhere nothing nobody';
      expect(await interpret(prompt)).toMatchObject({ required: 1 });
      expect(await interpret(prompt, { match: 'all' })).toMatchObject({ required: 9 });
      expect(await search(prompt)).toContain('Barrow');
    });
  });

  describe('match=closest requires as many words as some item has:', () => {
    const closest = (prompt: string, parameters: Record<string, string> = {}) => search(prompt, { match: 'closest', ...parameters });
    const requiredBy = async (prompt: string, parameters: Record<string, string> = {}) =>
      (await interpret(prompt, { match: 'closest', ...parameters })) as { required: number; relaxed: boolean };

    beforeAll(async () => {
      for (const item of [
        { name: 'Gnomon', description: 'a verdigris armillary astrolabe', tags: ['sundials', 'brass'] },
        { name: 'Astrolabe', description: 'with verdigris, an armillary', tags: ['sundials'] },
        { name: 'Verdigris', description: 'on an armillary', tags: ['sundials', 'copper'] },
        { name: 'Armillary', description: 'without anything else', tags: ['sundials'] },
      ])
        await service.client.upload(item);
      await service.indexed();
    });

    it.each<[string, string, number, string[]]>([
      ['all words', 'verdigris armillary astrolabe gnomon', 4, ['Gnomon']],
      ['all but one that no item has', 'verdigris armillary astrolabe nowhere', 3, ['Astrolabe', 'Gnomon']],
      ['all but one that no item has together with them', 'verdigris armillary astrolabe keel', 3, ['Astrolabe', 'Gnomon']],
      ['a misspelt word counts as its correction', 'verdigris armilary astrolabe gnomon', 4, ['Gnomon']],
      ['the beginning of a word', 'verdigris armillary gno', 3, ['Gnomon']],
      ['two words', 'verdigris armillary', 2, ['Astrolabe', 'Gnomon', 'Verdigris']],
      ['one word', 'armillary', 1, ['Armillary', 'Astrolabe', 'Gnomon', 'Verdigris']],
      ['a repeated word is one', 'verdigris verdigris gnomon', 2, ['Gnomon']],
      ['beside a phrase', '"an armillary" verdigris astrolabe gnomon', 2, ['Astrolabe']],
      ['without an excluded word', 'verdigris armillary astrolabe gnomon -brass', 3, ['Astrolabe']],
      ['of more than eight words', 'verdigris armillary astrolabe gnomon plywood marmalade orange carrot barrow nowhere', 4, ['Gnomon']],
    ])('%s: %s', async (_, prompt, required, names) => {
      expect(await requiredBy(prompt)).toMatchObject({ required, relaxed: false });
      for (const sort of ['createdAt,desc', 'relevance', 'best', 'name']) expect((await closest(prompt, { sort })).sort()).toEqual(names);
    });

    it('but for one word fewer than most requires, which relaxes it as usual', async () => {
      expect(await requiredBy('astrolabe nowhere keel')).toMatchObject({ required: 1, relaxed: true });
      expect(await closest('gnomon nowhere nobody')).toEqual(['Gnomon']);
    });

    it('with correct=false too', async () => {
      expect(await requiredBy('verdigris armilary astrolabe gnomon', { correct: 'false' })).toMatchObject({ required: 3 });
      expect((await closest('verdigris astrolabe armillary nowhere', { correct: 'false' })).sort()).toEqual(['Astrolabe', 'Gnomon']);
      expect(await closest('verdigris armillary astrolabe gnomon', { correct: 'false', tags: 'copper' })).toEqual(['Verdigris']);
    });

    it('of all items: if the filters leave none of these, those of match=most', async () => {
      const prompt = 'verdigris armillary astrolabe gnomon';
      expect(await closest(prompt, { tags: 'brass' })).toEqual(['Gnomon']);
      expect(await closest(prompt, { tags: 'copper' })).toEqual(['Verdigris']);
      expect(await requiredBy(prompt, { tags: 'brass' })).toMatchObject({ match: 'closest', required: 4 });
      expect(await requiredBy(prompt, { tags: 'copper' })).toMatchObject({ match: 'most', required: 2, relaxed: false });
      expect(await closest(prompt, { excludeTags: 'sundials' })).toEqual([]);
    });

    it('as soon as an item with more words is uploaded, and until the last one is deleted', async () => {
      const prompt = 'verdigris armillary astrolabe clepsydra';
      expect((await closest(prompt)).sort()).toEqual(['Astrolabe', 'Gnomon']);
      const id = await service.client.upload({ name: 'Clepsydra', description: 'verdigris armillary astrolabe' });
      await service.indexed();
      expect(await closest(prompt)).toEqual(['Clepsydra']);
      await service.client.send('DELETE', `/api/content/${id}`);
      await service.indexed();
      expect((await closest(prompt)).sort()).toEqual(['Astrolabe', 'Gnomon']);
    });

    it('for pages, facets and totals alike', async () => {
      for (const filter of ['', '&tags=brass', '&tags=copper', '&tags=sundials', '&tags=absent']) {
        const query = `prompt=verdigris+armillary+astrolabe+gnomon&match=closest${filter}`;
        const { totalElements } = (await service.client.get(`/api/content?${query}`)).body;
        expect((await service.client.get(`/api/content/facets?${query}`)).body.totalElements).toBe(totalElements);
        expect((await service.client.get(`/api/content?${query}&page=7`)).body.totalElements).toBe(totalElements);
      }
    });
  });

  it('function words are not searched in prompts of more than four words, and are in shorter ones', async () => {
    expect(await interpret('which other recipes about soup')).toMatchObject({
      words: ['recipes', 'soup'],
      dropped: ['which', 'other', 'about'],
    });
    expect(await interpret('which other soup')).toMatchObject({ words: ['which', 'other', 'soup'], dropped: [] });
    expect(await search('about which any other')).toEqual(['Introduction']);
    expect(await search('to which and about any other')).toEqual([]);
  });

  it('the item whose complete name is the prompt is the first by relevance', async () => {
    for (const prompt of ['harvest', 'HARVEST', ' Harvest  ']) expect((await search(prompt))[0]).toBe('harvest');
    expect((await search('introduction'))[0]).toBe('Introduction');
  });

  describe('a prompt that names an item by its id or the address of its page', () => {
    let id: number;
    const prompts = (): string[] =>
      [
        '#ID',
        ' #ID ',
        'https://ugc.example:3000/?item=ID',
        'http://localhost/a/b/?prompt=keel&tags=x%20y&item=ID#token=a.b',
        '?item=ID',
      ].map((prompt) => prompt.replace('ID', String(id)));
    beforeAll(async () => {
      id = await service.client.upload({ name: 'Xylograph', tags: ['woodcut'] });
      await service.client.upload({ name: `#${id}`, description: `${id} item`, tags: ['woodcut'] });
      await service.indexed();
    });

    it('finds it, first by relevance and best, whatever the sort, and says so', async () => {
      for (const prompt of prompts()) {
        for (const sort of ['relevance', 'best']) expect((await search(prompt, { sort }))[0]).toBe('Xylograph');
        for (const sort of ['createdAt,desc', 'name,asc']) expect(await search(prompt, { sort, match: 'all' })).toContain('Xylograph');
        expect(await interpret(prompt)).toMatchObject({ item: id });
        expect((await service.client.get(`/api/content/facets?${new URLSearchParams({ prompt })}`)).body.totalElements).toBeGreaterThan(0);
      }
    });

    it('does not find it outside of the filters', async () => {
      for (const prompt of prompts()) {
        expect(await search(prompt, { tags: 'woodcut' })).toContain('Xylograph');
        expect(await search(prompt, { excludeTags: 'woodcut' })).not.toContain('Xylograph');
      }
    });

    it('finds nothing else: a number is a word, and ids that do not exist, or are no ids, are none', async () => {
      for (const prompt of [`${id}`, `# ${id}`, `#0${id}`, `#${id}x`, '#999999999999999', `#${'9'.repeat(40)}`, `what? item=${id}`])
        expect(await search(prompt)).not.toContain('Xylograph');
      const deleted = await service.client.upload({ name: 'Quixotic' });
      await service.client.send('DELETE', `/api/content/${deleted}`);
      await service.indexed();
      expect(await search(`#${deleted}`)).toEqual([]);
      expect(await interpret('keel')).not.toHaveProperty('item');
    });
  });

  it('nothing is searched or named that no searchable item contains', async () => {
    const id = await service.client.upload({ name: 'Zeppelin', description: 'gas bag' });
    await service.indexed();
    expect(await correctionOf('zepelin')).toBe('zepelin=zeppelin');
    expect(await correctionOf('gasbag')).toBe('gasbag=gas%20bag');
    await service.client.send('DELETE', `/api/content/${id}`);
    await service.indexed();
    for (const prompt of ['zepelin', 'gasbag', 'zeppelin']) {
      expect(await correctionOf(prompt)).toBeNull();
      expect(await search(prompt)).toEqual([]);
    }
    expect(await interpret('zepelin')).toMatchObject({ corrected: [], missing: ['zepelin'] });
  });

  it('every form of a word that items contain is found, so that no item hides another one', async () => {
    const names = ['Qxa 4', 'Qxa four', 'Qxa iv', 'Qxa4', 'Qxaiv'];
    await storeContent(
      service.database,
      names.map((name) => ({ name })),
    );
    await service.indexed();
    expect((await search('qxa4')).toSorted()).toEqual(names);
  });
});

function fileWith(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'ugc-synonyms-')), 'synonyms.txt');
  writeFileSync(path, text);
  return path;
}

describe('synonyms of the operator', () => {
  const RULES = 'gba, game boy advance\nsofa => couch\nnintedno, gba\nvase, amphora, clay pot\nurn => urn, amphora\nbowll, amphora';
  const service = forAllTests(() => startService({ SYNONYMS_FILE: fileWith(RULES) }));
  beforeAll(async () => {
    await storeContent(service.database, [
      { name: 'Amphora' },
      { name: 'Amphora amphora', description: 'amphora' },
      { name: 'Clay pot' },
      ...Array.from({ length: 9 }, (_, n) => ({
        name: `Shelf ${n}`,
        description: `${'holds many other things '.repeat(9)} and a vase and an urn`,
      })),
      { name: 'GBA cable' },
      { name: 'Cable for the Game Boy Advance' },
      { name: 'Advance of a boy in a game' },
      { name: 'Red sofa' },
      { name: 'Sofa' },
      { name: 'Red couches' },
    ]);
    await service.indexed();
  });
  const found = async (prompt: string, parameters = {}): Promise<string[]> =>
    (await service.client.search(prompt, { match: 'all', ...parameters })).toSorted();

  it.each([
    ['gba', ['Cable for the Game Boy Advance', 'GBA cable']],
    ['gba cable', ['Cable for the Game Boy Advance', 'GBA cable']],
    ['GAME BOY ADVANCE cable', ['Cable for the Game Boy Advance', 'GBA cable']],
    ['sofa', ['Red couches']],
    ['red sofa', ['Red couches']],
    ['couch', ['Red couches']],
  ])('are found as well, or instead with =>: %s', async (prompt, names) => expect(await found(prompt)).toEqual(names));

  it('never come before the word that is typed, however rare they are and however often an item has them', async () => {
    for (const [prompt, synonyms] of [['vase', 3], ['urn', 2]] as const) {
      const names = await service.client.search(prompt, { sort: 'relevance', size: 20 });
      expect(names.map((name) => name.startsWith('Shelf'))).toEqual([...Array(9).fill(true), ...Array(synonyms).fill(false)]);
    }
    // Those of a word that no item has count nearly as the word.
    expect((await service.client.search('bowll things', { sort: 'relevance', match: 'any' }))[0]).toBe('Amphora amphora');
  }); // prettier-ignore

  it('do not apply to quoted phrases, exclusions and words that are meant as they are written', async () => {
    expect(await found('"gba"')).toEqual(['GBA cable']);
    expect(await found('red -couch')).toEqual(['Red sofa']);
    expect(await found('sofa', { correct: 'false' })).toEqual(['Red sofa', 'Sofa']);
  });

  it('are marked and explained, and are no corrections', async () => {
    const { body, headers } = await service.client.list({ prompt: 'red sofa', highlight: 'true', explain: 'true' });
    expect(body.content).toMatchObject([{ highlights: { name: ['<mark>Red</mark> <mark>couches</mark>'] } }]);
    expect(body.interpretation).toMatchObject({ words: ['red', 'couch'], corrected: [], variants: [{ from: 'sofa', to: 'couch' }] });
    expect(headers.get('search-correction')).toBeNull();
    const { body: phrase } = await service.client.list({ prompt: 'gba', highlight: 'true' });
    expect(phrase.content.map(({ highlights }) => highlights?.name?.[0])).toContain('Cable for the <mark>Game Boy Advance</mark>');
  });

  it('are not suggested, and a word that only the operator knows is not corrected', async () => {
    const { body } = await service.client.get('/api/content/suggest?prompt=sofa');
    expect(JSON.stringify(body)).not.toMatch(/couch/i);
    expect(await found('nintedno')).toEqual(['GBA cable']);
  });
});

it('no search request differs with a file whose rules do not apply', async () => {
  const requestsOf = async (environment: Environment): Promise<object[]> => {
    const sent: object[] = [];
    const api = await startApiAlone(environment, (elasticsearch) =>
      Object.create(elasticsearch, {
        search: { value: recorded(sent, elasticsearch.search.bind(elasticsearch)) },
        msearch: { value: recorded(sent, elasticsearch.msearch.bind(elasticsearch)) },
      }),
    );
    const alias = api.env['CONTENT_ALIAS'] ?? '';
    await api.elasticsearch.indices.create({ index: `${alias}-v1`, ...INDEX_BODY, aliases: { [alias]: {} } });
    for (const prompt of ['', 'lighthouse at dusk', '"gba" -sofa', 'c++ 東京', 'xylophoen'])
      expect((await api.client.list({ prompt })).status).toBe(200);
    await api.stop();
    return sent;
  };
  const recorded = (sent: object[], send: (...parameters: any[]) => unknown) => {
    return (request: { index?: unknown }, ...rest: unknown[]) => {
      const { index: _, ...body } = request;
      sent.push(body);
      return send(request, ...rest);
    };
  };
  const without = await requestsOf({});
  expect(without.length).toBeGreaterThan(5);
  expect(await requestsOf({ SYNONYMS_FILE: fileWith('gba, game boy advance\nsofa => couch') })).toEqual(without);
});

it('a wrong file of synonyms is an error at the start that names line and reason, as is a missing one', () => {
  expect(() => readSynonyms(fileWith('a, b\nc'))).toThrow('SYNONYMS_FILE: line 2 has one word or phrase only');
  expect(() => readSynonyms('/nowhere/synonyms.txt')).toThrow('SYNONYMS_FILE: the file /nowhere/synonyms.txt cannot be read');
});

const rated = (times: number, score: number): number[] => Array.from({ length: times }, () => score);

/** From the highest quality to the lowest. */
const KETTLES: StoredFields[] = [
  { name: 'popular kettle', ratings: rated(40, 5), downloads: 20_000 },
  { name: 'good kettle', ratings: rated(40, 5), downloads: 90 },
  { name: 'unknown new kettle', createdAt: '2026-01-03T00:00:00.000Z' },
  { name: 'unknown kettle' },
  { name: 'once disliked kettle', ratings: [2] },
  { name: 'old good kettle', ratings: rated(40, 5), downloads: 90, createdAt: '2014-01-01T00:00:00.000Z' },
  { name: 'kettle', ratings: rated(40, 1), createdAt: '2014-01-01T00:00:00.000Z' },
];
const NAMES = KETTLES.map(({ name }) => name);
/** They have no tag, and are found by "lamp" only. */
const LAMPS: StoredFields[] = [
  { name: 'lamp of brass', description: 'a lamp to read by' },
  { name: 'table', description: 'with room for a lamp', ratings: rated(99, 5), downloads: 900_000 },
  ...Array.from({ length: 20 }, (_, n) => ({ name: `lamp ${n}`, downloads: n % 4, ratings: rated(n % 3, 4) })),
];

describe('a list sorted by best', () => {
  const service = forAllTests(() => startService());
  beforeAll(async () => {
    // Neither the order of the ids nor that of the times is that of the quality.
    const byName = KETTLES.toSorted((one, other) => (one.name ?? '').localeCompare(other.name ?? ''));
    const kettles = byName.map((item) => ({ ...item, tags: ['kettle'] }));
    await storeContent(service.database, [...kettles, ...LAMPS]);
    await service.indexed();
  });
  const search = (prompt: string, parameters: Record<string, string | number> = {}) =>
    service.client.search(prompt, { sort: 'best', ...parameters });

  it('without a prompt has well-rated, popular and new items first, in which few ratings count little', async () => {
    expect(await search('', { tags: 'kettle' })).toEqual(NAMES);
    expect(await search('', { tags: 'kettle', sort: 'best,desc' })).toEqual(NAMES);
    expect(await search('', { tags: 'kettle', sort: 'best,asc' })).toEqual(NAMES.toReversed());
  });

  it('has that order too for a prompt that only excludes', async () => {
    expect(await search('-lamp -table')).toEqual(NAMES);
    expect(await search('-lamp -popular')).toEqual(NAMES.slice(1));
  });

  it('has the item first whose name is the prompt, however badly it is rated', async () => {
    expect(await search('kettle')).toMatchObject(['kettle', 'popular kettle', ...Array.from({ length: 5 }, () => expect.anything())]);
  });

  it('has the popular item first of items that match equally well', async () => {
    const found = await search('kettle');
    expect(found.indexOf('good kettle')).toBeLessThan(found.indexOf('unknown kettle'));
    expect(found.indexOf('unknown kettle')).toBeLessThan(found.indexOf('once disliked kettle'));
    expect(await search('kettle', { sort: 'best,asc' })).toEqual(found.toReversed());
  });

  it('has an item that is about the prompt before a popular one that only mentions it', async () => {
    const found = await search('brass lamp');
    expect(found[0]).toBe('lamp of brass');
    expect((await search('lamp', { size: 50 })).at(-1)).toBe('table');
  });

  it.each(['lamp', 'lmap', '"lamp"', 'lamp -brass', ''])('has the matches, the total and the facets of relevance: %s', async (prompt) => {
    const [best, relevance] = [await search(prompt, { size: 50 }), await search(prompt, { size: 50, sort: 'relevance' })];
    expect(best.toSorted()).toEqual(relevance.toSorted());
    const facets = async (sort: string) => (await service.client.get(`/api/content/facets?sort=${sort}&prompt=${prompt}`)).body;
    expect(await facets('best')).toEqual(await facets('relevance'));
  });

  it('neither repeats nor skips an item on its pages, and marks what matches', async () => {
    for (const prompt of ['lamp', '']) {
      const pages: string[] = [];
      for (let page = 0; page < 10; page += 1) pages.push(...(await search(prompt, { page, size: 3, sort: 'best' })));
      expect(pages).toEqual(await search(prompt, { size: 50 }));
    }
    const { body } = await service.client.list({ prompt: 'brass', sort: 'best', highlight: 'true' });
    expect(body.content[0]?.highlights?.name).toEqual(['lamp of <mark>brass</mark>']);
  });

  it('changes with ratings and downloads', async () => {
    const id = await service.client.upload({ name: 'samovar', tags: ['samovar'] });
    const other = await service.client.upload({ name: 'samovar', tags: ['samovar'] });
    await service.indexed();
    const order = async (): Promise<number[]> =>
      (await service.client.list({ tags: 'samovar', sort: 'best' })).body.content.map(({ contentId }) => contentId);
    expect(await order()).toEqual([other, id]);
    expect((await service.client.send('PUT', `/api/content/${id}/rating`, { score: 5 }, 2)).status).toBe(204);
    await service.indexed();
    expect(await order()).toEqual([id, other]);
  });
});

describe('a word inside of another one', () => {
  const service = forAllTests(() => startService());
  const LONG = 'a long text about other things, with steps for each of them '.repeat(40);
  beforeAll(async () => {
    await storeContent(service.database, [
      { name: 'GreatLanternFactory', description: LONG, tags: ['mod'] },
      { name: 'Lantern of brass', description: LONG },
      { name: 'Sea chart', description: 'with a lantern on it' },
      { name: 'Chart of stars', tags: ['OldCompassCase'], description: 'Night.' },
      { name: 'Gießkanne in Blau', tags: ['garten'], description: 'Für den Garten, aus Blech.' },
      { name: 'Teekanne in Rot', tags: ['küche'], description: 'Für den Tisch, aus Ton.' },
      { name: 'LG전자 받침', description: '' },
      { name: 'Wheel of a clock', description: '', fileName: 'oakgear_v7.stl' },
      { name: 'Dice tower of pine', description: '' },
      { name: 'Song of a mill', description: '', fileName: 'dicetower.flac' },
    ]);
    await service.indexed();
  });

  it.each([
    ['at a border of case', 'lanterns', ['Lantern of brass', 'GreatLanternFactory', 'Sea chart']],
    ['with another such word', 'great factory', ['GreatLanternFactory']],
    ['in a tag', 'compass', ['Chart of stars']],
    ['as the end of a compound', 'kanne', ['Gießkanne in Blau', 'Teekanne in Rot']],
    ['as the end of a compound, in the plural', 'kannen', ['Gießkanne in Blau', 'Teekanne in Rot']],
    ['as the end of a compound, with another word', 'kanne rot', ['Teekanne in Rot']],
    ['at a border of script', '전자', ['LG전자 받침']],
    ['in the name of a file', 'oakgear stl', ['Wheel of a clock']],
    ['in the name of a file, which is typed as a whole', 'oakgear_v7.stl', ['Wheel of a clock']],
    ['without an extension', 'OAKGEAR_v7', ['Wheel of a clock']],
  ])('is found %s', async (_, prompt, names) => {
    const found = await service.client.search(prompt, { sort: 'relevance' });
    expect(found.toSorted()).toEqual(names.toSorted());
  });

  it('ranks behind the word in a name, and is marked', async () => {
    const { body } = await service.client.list({ prompt: 'lantern', sort: 'relevance', highlight: 'true' });
    expect(body.content[0]).toMatchObject({ name: 'Lantern of brass' });
    const marked = body.content.flatMap(({ highlights }) => highlights?.name ?? []);
    expect(marked).toContain('Great<mark>Lantern</mark>Factory');
    const { body: cans } = await service.client.list({ prompt: 'kanne', highlight: 'true' });
    expect(cans.content.map(({ highlights }) => highlights?.name?.[0]).toSorted()).toEqual(['Gieß<mark>kanne</mark> in Blau', 'Tee<mark>kanne</mark> in Rot']); // prettier-ignore
  });

  it('a quotation of more than 20 words finds the items with its words, and nothing without one', async () => {
    const quotation = (word: string): string => `"${`${word} of a long text about other things, with steps for each of them `.repeat(2)}"`;
    const found = await service.client.search(quotation('Lantern'), { sort: 'relevance' });
    expect(found).toContain('Lantern of brass');
    expect(await service.client.search(`"${'xyzzyq plugh frobozz '.repeat(8)}"`)).toEqual([]);
  });

  it('hides no item that writes it as several words', async () => {
    expect((await service.client.search('dicetower')).toSorted()).toEqual(['Dice tower of pine', 'Song of a mill']);
  });
});
