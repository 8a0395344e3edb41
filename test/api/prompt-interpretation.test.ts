import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';
import { storeContent } from '../support/database/stored-content.ts';

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
    expect(await interpret('carrow')).toMatchObject({ corrected: [], missing: ['carrow'] });
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
});
