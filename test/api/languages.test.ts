import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type Service } from '../support/processes/service.ts';
import { storeContent } from '../support/database/stored-content.ts';

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
