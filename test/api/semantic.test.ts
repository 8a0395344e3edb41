import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { runs } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { startSemanticService } from '../support/processes/semantic-service.ts';
import { startService } from '../support/processes/service.ts';

const BY_RELEVANCE = { sort: 'relevance' };
const WORDS = ['lantern', 'harbour', 'violet', 'comet', 'meadow', 'sofa', 'couch', 'car', 'automobile', 'kitten', 'cat'];

describe('with an embedding service', () => {
  const service = forAllTests(() => startSemanticService({ EMBEDDINGS_API_KEY: 'key-of-the-service', EMBEDDINGS_QUERY_PREFIX: 'query:' }));

  beforeAll(async () => {
    // Only the meaning tells which of the two stands belongs to a sofa.
    await service.client.upload({ name: 'stand', description: 'for the automobile and nothing else' });
    await service.client.upload({ name: 'stand', description: 'for the settee and nothing else' });
    await service.client.upload({ name: 'sofa stand car', description: 'all of it' });
    await Promise.all(
      Array.from({ length: 130 }, (_, n) => {
        const words = WORDS.filter((_word, at) => (n * 7 + at * 5) % 4 === 0);
        return service.client.upload({
          name: `thing ${words.join(' ')}`,
          description: `${n % 9} of ${WORDS[n % WORDS.length]}`,
          tags: ['thing'],
        });
      }),
    );
    await service.embedded();
    await until('lists are ranked by meaning', async () => (await rankingOf({ prompt: 'thing', ...BY_RELEVANCE })) === 'semantic');
  });

  const rankingOf = async (parameters: Record<string, string | number>): Promise<string | null> =>
    (await service.client.list(parameters)).headers.get('search-ranking');
  const idsOf = async (parameters: Record<string, string | number>): Promise<number[]> =>
    (await service.client.list(parameters)).body.content.map(({ contentId }) => contentId);

  it('ranks an item by what it means, where the words tell nothing', async () => {
    const prompt = 'couch stand';
    const [byMeaning, byWords] = [await service.client.list({ prompt, match: 'any', ...BY_RELEVANCE }), await service.client.list({ prompt, match: 'any', ...BY_RELEVANCE, semantic: 'false' })]; // prettier-ignore
    expect([byMeaning, byWords].map(({ headers }) => headers.get('search-ranking'))).toEqual(['semantic', 'lexical']);
    expect(byMeaning.body.totalElements).toBe(byWords.body.totalElements);
    const descriptions = byMeaning.body.content.map(({ description }) => description);
    expect(descriptions.findIndex((one) => one.includes('settee'))).toBeLessThan(
      descriptions.findIndex((one) => one.startsWith('for the automobile')),
    );
  });

  it('embeds the corrected prompt after the prefix, without what it excludes, and sends the key', async () => {
    const before = service.embeddings.requests.length;
    await service.client.list({ prompt: '"Harbour" lantren -comet', ...BY_RELEVANCE });
    const texts = service.embeddings.requests.slice(before).flatMap(({ input }) => input);
    expect(texts.at(-1)).toBe('query: Harbour lantern');
    expect(new Set(service.embeddings.authorizations)).toEqual(new Set(['Bearer key-of-the-service']));
  });

  it('embeds name, tags and description of an item', () => {
    expect(service.embeddings.texts).toContain('sofa stand car\nall of it');
    expect(service.embeddings.texts.some((text) => /^thing .*\nthing\n\d of /.test(text))).toBe(true);
  });

  it('keeps the item whose name is the prompt first', async () => {
    const [first] = await service.client.search('stand', BY_RELEVANCE);
    expect(first).toBe('stand');
    expect(await service.client.search('"sofa stand car"', BY_RELEVANCE)).toEqual(['sofa stand car']);
  });

  it.each([
    ['another sort', { prompt: 'thing', sort: 'name' }, null],
    ['no prompt', BY_RELEVANCE, null],
    ['the ascending order', { prompt: 'thing', sort: 'relevance,asc' }, null],
    ['semantic=false', { prompt: 'thing', semantic: 'false', ...BY_RELEVANCE }, 'lexical'],
    ['only exclusions', { prompt: '-sofa', ...BY_RELEVANCE }, 'lexical'],
    ['a page after the first 100 matches', { prompt: 'thing', page: 10, ...BY_RELEVANCE }, 'lexical'],
    ['no match', { prompt: 'qqqqqqqq', ...BY_RELEVANCE }, 'lexical'],
    ['a page beyond the end', { prompt: 'stand', page: 9, ...BY_RELEVANCE }, 'semantic'],
  ])('says how it ranked: %s', async (_, parameters, ranking) => expect(await rankingOf(parameters)).toBe(ranking));

  it('explains the ranking', async () => {
    const ranking = async (semantic: string) => (await service.client.list({ prompt: 'thing', explain: 'true', semantic, ...BY_RELEVANCE })).body.interpretation?.ranking; // prettier-ignore
    expect(await ranking('true')).toBe('semantic');
    expect(await ranking('false')).toBe('lexical');
  });

  it('all pages together have the items of the list by words, of whatever size, once each', async () => {
    const prompts = fc.shuffledSubarray([...WORDS, 'thing'], { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
    await fc.assert(
      fc.asyncProperty(prompts, fc.integer({ min: 7, max: 120 }), fc.constantFrom('any', 'most'), async (prompt, size, match) => {
        const list = { prompt, match, ...BY_RELEVANCE };
        const byWords = await idsOf({ ...list, size: 200, semantic: 'false' });
        const pages: number[] = [];
        for (let page = 0; page * size < byWords.length; page += 1) pages.push(...(await idsOf({ ...list, size, page })));
        expect(pages.toSorted()).toEqual(byWords.toSorted());
        expect(pages.slice(100)).toEqual(byWords.slice(100));
        expect((await service.client.list({ ...list, size })).body.totalElements).toBe(byWords.length);
      }),
      { numRuns: runs(12, 100) },
    );
  });

  it('highlights, summaries and filters work as in a list by words', async () => {
    const parameters = { prompt: 'lantern', highlight: 'true', fields: 'summary', tags: 'thing', ...BY_RELEVANCE };
    const [one, other] = [await service.client.list(parameters), await service.client.list({ ...parameters, semantic: 'false' })];
    expect(one.body.totalElements).toBe(other.body.totalElements);
    expect(one.body.content[0]).toMatchObject({ highlights: { name: [expect.stringContaining('<mark>')] } });
    expect(one.body.content[0]).not.toHaveProperty('data');
  });

  it('an edit of the texts makes a new vector, other changes do not, and a deletion removes it', async () => {
    const contentId = await service.client.upload({ name: 'one of a kind', description: 'quasar' });
    await service.embedded();
    const path = `/api/content/${contentId}`;
    const madeOf = (): number => service.embeddings.texts.filter((text) => text.startsWith('one of a kind')).length;
    const made = madeOf();
    expect((await service.client.send('PATCH', path, { version: 2, data: 'other' })).status).toBe(200);
    expect((await service.client.send('PUT', `${path}/rating`, { score: 5 }, 2)).status).toBeLessThan(300);
    await service.embedded();
    expect(madeOf()).toBe(made);
    expect((await service.client.send('PATCH', path, { tags: ['pulsar'] })).status).toBe(200);
    await until('the edited text is embedded', () => service.embeddings.texts.includes('one of a kind\npulsar\nquasar'));
    await service.embedded();
    expect((await service.client.send('DELETE', path)).status).toBe(204);
    const left = `select content_id from embedding where content_id = $1 union all select content_id from embedding_work where content_id = $1`;
    expect(await service.database.query(left, [contentId])).toEqual([]);
  });
});

describe('without an embedding service', () => {
  const service = forAllTests(() => startService());

  it('ranks by words, and stores no work', async () => {
    await service.client.upload({ name: 'Lighthouse' });
    await service.indexed();
    expect((await service.client.list({ prompt: 'lighthouse', ...BY_RELEVANCE })).headers.get('search-ranking')).toBe('lexical');
    expect(await service.database.query('select from embedding_work')).toEqual([]);
  });
});
