import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { expectErrors, expectProblem } from '../support/http/problems.ts';
import { startService, type Service } from '../support/processes/service.ts';
import { storeContent, type StoredFields } from '../support/database/stored-content.ts';

type Started = Pick<Service, 'client'>;

async function similarTo({ client }: Started, id: number, query = 'size=20') {
  const { status, body, text } = await client.get(`/api/content/${id}/similar?${query}`);
  if (status !== 200) throw new Error(`the items similar to ${id} returned ${status}: ${text}`);
  return body as { content: { contentId: number; creatorId: number; name: string; tags?: string[]; data?: string }[] };
}

async function namesOf(service: Started, id: number, query?: string): Promise<string[]> {
  return (await similarTo(service, id, query)).content.map(({ name }) => name);
}

const LIGHTHOUSES: StoredFields[] = [
  { creatorId: 1, name: 'Lighthouse at dusk', description: 'A keeper rows home across the misty harbour.', tags: ['wallpaper', 'sea'] },
  { creatorId: 1, name: 'Lighthouse at dawn', description: 'The keeper leaves the misty harbour.', tags: ['wallpaper'], downloads: 9 },
  { creatorId: 1, name: 'Lighthouse at noon', description: 'No mist, and the keeper sleeps above the harbour.', tags: ['wallpaper'] },
  { creatorId: 1, name: 'Lighthouse at night', description: 'The keeper sees no harbour.', tags: ['wallpaper'], ratings: [5] },
  { creatorId: 2, name: 'The harbour of the keeper', description: 'Lighthouses, seen from a boat.', data: 'boat', tags: ['sea'] },
  { creatorId: 3, name: 'Misty mornings', description: 'Twelve keepers of harbours and their boats.', tags: ['Sea'] },
];
const OTHERS: StoredFields[] = [
  { creatorId: 1, name: 'Sourdough without scales', description: 'Two cups and a spoon.', tags: ['recipe'] },
  { creatorId: 2, name: 'Dice tower', description: 'A misty one, of cardboard.', tags: ['board-game'] },
  { creatorId: 3, name: 'Zzyzx', tags: ['sea'] },
];

const service = forAllTests(() => startService());

describe('the items similar to an item', () => {
  let ids: number[];
  const idOf = (name: string): number => ids[[...LIGHTHOUSES, ...OTHERS].findIndex((item) => item.name === name)] ?? NaN;
  beforeAll(async () => {
    ids = await storeContent(service.database, [...LIGHTHOUSES, ...OTHERS]);
    await service.indexed();
  });

  it('share two characteristic words or a tag with it, the most similar first, and are never the item itself', async () => {
    const names = await namesOf(service, idOf('Misty mornings'));
    expect(names.slice(0, 2).toSorted()).toEqual(['Lighthouse at dusk', 'The harbour of the keeper']);
    expect(names).not.toContain('Misty mornings');
    // One common word, and a tag in another letter case.
    expect(names).not.toContain('Dice tower');
    expect(names).not.toContain('Zzyzx');
    expect(await namesOf(service, idOf('Zzyzx'))).toEqual(expect.arrayContaining(['Lighthouse at dusk', 'The harbour of the keeper']));
    expect(await namesOf(service, idOf('Sourdough without scales'))).toEqual([]);
    for (const id of ids) expect((await similarTo(service, id)).content.map(({ contentId }) => contentId)).not.toContain(id);
  });

  it('are at most two of one creator, the most similar ones', async () => {
    const { content } = await similarTo(service, idOf('The harbour of the keeper'));
    expect(content.filter(({ creatorId }) => creatorId === 1).map(({ name }) => name)).toContain('Lighthouse at dusk');
    for (const items of Map.groupBy(content, ({ creatorId }) => creatorId).values()) expect(items.length).toBeLessThanOrEqual(2);
    expect(content.filter(({ creatorId }) => creatorId === 1)).toHaveLength(2);
  });

  it('are complete although one creator has more similar items than are read at a time', async () => {
    const copies = Array.from({ length: 120 }, (_, n) => ({
      creatorId: 1,
      name: 'Origami crane',
      description: `Sheet ${n}`,
      downloads: n,
    }));
    const others = Array.from({ length: 3 }, (_, n) => ({
      creatorId: 2 + (n % 2),
      name: 'A crane of origami, folded in the evening',
      description: `Evening ${n}`,
    }));
    const [id = 0] = await storeContent(service.database, [...copies, ...others]);
    await service.indexed();
    const { content } = await similarTo(service, id);
    expect(content.map(({ creatorId }) => creatorId).toSorted()).toEqual([1, 1, 2, 2, 3]);
  });

  it('contain an item that was uploaded several times once, and other items of the same name', async () => {
    const text = { name: 'Marionette theatre', description: 'Strings, velvet and a trapdoor.' };
    const copies = Array.from({ length: 110 }, () => ({ ...text, creatorId: 2 }));
    const [id = 0] = await storeContent(service.database, [
      { ...text, creatorId: 1 },
      ...copies,
      { ...text, creatorId: 3, tags: ['puppets'] },
      { ...text, creatorId: 3, description: 'Velvet strings.' },
    ]);
    await service.indexed();
    const { content } = await similarTo(service, id);
    expect(content.map(({ name }) => name)).toEqual([text.name, text.name]);
    expect(new Set(content.map((item) => (item as unknown as typeof text).description)).size).toBe(2);
  });

  it.each([
    ['French', 'Soupe paysanne avec de la ciboulette', 'Tour Eiffel avec vue de la terrasse', 'Soupe rapide, ciboulette et croûtons'],
    ['Spanish', 'Sopa de ajo con el pan de la abuela', 'Torre de la catedral con el reloj', 'Ajo asado, sopa fría'],
    ['German', 'Suppe mit Lauch für die Gäste und das Haus', 'Turm mit Uhr und die Glocke für das Dorf', 'Lauch schneiden, Suppe kochen'],
    ['Italian', 'Zuppa di farro con il pane della nonna', 'Torre di Pisa con il cielo della sera', 'Farro e zuppa'],
    ['Portuguese', 'Sopa de couve com a broa da avó', 'Torre de Belém com a luz da manhã', 'Couve, sopa, panela'],
    ['Russian', 'Суп из чечевицы и лука для всей семьи', 'Башня из кирпича и стекла для города', 'Чечевицы суп густой'],
    ['Swedish', 'Soppa med ärtor och fläsk för en torsdag', 'Torn med klocka och en vy för turister', 'Ärtor till soppa'],
    [
      'Polish',
      'Zupa z buraków i ziemniaków dla całej rodziny na obiad',
      'Wieża z cegły i szkła dla miasta na wzgórzu',
      'Zupa, buraków garść',
    ],
  ])('share no stop words of their language: %s', async (_, name, other, similar) => {
    const names = [name, other, similar];
    const [id = 0] = await storeContent(
      service.database,
      names.map((one, at) => ({ name: one, creatorId: at + 1 })),
    );
    await service.indexed();
    const found = await namesOf(service, id);
    expect(found[0]).toBe(similar);
    expect(found).not.toContain(other);
  });

  it('match every filter of a list', async () => {
    const id = idOf('Lighthouse at dusk');
    expect(await namesOf(service, id, 'creatorId=1&minDownloads=9')).toEqual(['Lighthouse at dawn']);
    expect(await namesOf(service, id, 'minRating=5')).toEqual(['Lighthouse at night']);
    expect(await namesOf(service, id, `contentId=${id}&contentId=${idOf('Lighthouse at night')}`)).toEqual(['Lighthouse at night']);
    expect(await namesOf(service, id, 'excludeCreatorId=1&excludeTags=Sea&tags=sea')).toEqual(
      expect.arrayContaining(['The harbour of the keeper']),
    );
    expect((await namesOf(service, id, 'excludeCreatorId=1')).filter((name) => name.startsWith('Lighthouse'))).toEqual([]);
    expect(await namesOf(service, id, 'createdFrom=2026-06-01')).toEqual([]);
  });

  it('are as many as `size`, without totals, with `data` and without tags unless the parameters say otherwise', async () => {
    const id = idOf('Lighthouse at dusk');
    const all = await similarTo(service, id);
    expect(Object.keys(all)).toEqual(['content']);
    expect((await similarTo(service, id, 'size=1')).content).toEqual(all.content.slice(0, 1));
    expect(all.content.find(({ creatorId }) => creatorId === 2)).toMatchObject({ data: 'boat' });
    for (const item of all.content) expect(item).not.toHaveProperty('tags');
    const [first] = (await similarTo(service, id, 'fields=summary&include=tags&creatorId=2')).content;
    expect(first).toMatchObject({ tags: ['sea'] });
    expect(first).not.toHaveProperty('data');
  });

  it.each([
    ['size=0', ['size']],
    ['size=21', ['size']],
    ['size=x&minRating=6&include=y', ['include', 'minRating', 'size']],
    ['createdFrom=2026-02-01&createdTo=2026-01-01', ['createdFrom']],
  ])('of a request with wrong parameters are a 400 that names them: %s', async (query, parameters) =>
    expectErrors(await service.client.get(`/api/content/${ids[0]}/similar?${query}`), parameters),
  );

  it('of an id that does not exist are a 404, as of a deleted item, which no list of similar items has any more', async () => {
    const [kept = 0, deleted = 0] = await storeContent(service.database, [
      { name: 'Volcano of felt', tags: ['felt'] },
      { name: 'Volcano of paper', tags: ['felt'], creatorId: 2 },
    ]);
    await service.indexed();
    expect(await namesOf(service, kept)).toEqual(['Volcano of paper']);
    expect((await service.client.send('DELETE', `/api/content/${deleted}`, undefined, 2)).status).toBe(204);
    for (const id of [deleted, 999_999, 'x', 0]) expectProblem(await service.client.get(`/api/content/${id}/similar`), 404);
    await service.indexed();
    expect(await namesOf(service, kept)).toEqual([]);
  });

  it('do not prefer those of its creator, nor those that name the creator', async () => {
    const text = 'Telescope mirrors polished by moonlight';
    const [mine = 0] = await storeContent(service.database, [
      { creatorId: 1, name: text },
      { creatorId: 1, name: 'Ada', description: 'By ada for ada' },
      { creatorId: 1, name: `${text}, again and again` },
      { creatorId: 2, name: text },
    ]);
    await service.indexed();
    const { content } = await similarTo(service, mine);
    expect(content.map(({ creatorId, name }) => [creatorId, name])).toEqual([
      [2, text],
      [1, `${text}, again and again`],
    ]);
  });
});

describe('the items similar to an item with long texts', () => {
  it('are found by its most characteristic words, with a query of few clauses', async () => {
    const words = Array.from({ length: 2_000 }, (_, n) => `w${n.toString(36)}x`);
    const tags = Array.from({ length: 32 }, (_, n) => `tag ${n}`);
    const description = words.join(' ').slice(0, 10_000);
    const [id = 0] = await storeContent(service.database, [
      { name: 'Long', description, tags },
      { name: 'Long as well', description, tags, creatorId: 2 },
      { name: 'A few of them', description: 'w1x w2x w3x', creatorId: 3 },
      { name: 'One tag', tags: ['tag 31'], creatorId: 3 },
    ]);
    await service.indexed();
    const names = await namesOf(service, id);
    expect(names[0]).toBe('Long as well');
    expect(names).toContain('One tag');
  });

  it.each([
    ['nothing that is a word', { name: '…', description: '!!! ---' }],
    ['stop words only', { name: 'The', description: 'of and to', tags: [] }],
    ['Chinese without blanks', { name: '灯塔', description: '灯塔与海'.repeat(1_000) }],
    ['one very long word', { name: 'x'.repeat(200), description: 'y'.repeat(10_000) }],
  ])('are none, and no error, for %s', async (_, item) => {
    const [id = 0] = await storeContent(service.database, [{ ...item, creatorId: 2 }]);
    expect(await namesOf(service, id)).toEqual([]);
    await service.indexed();
    expect(await namesOf(service, id)).toEqual([]);
  });
});

it('the items similar to an item that is not indexed are found by its stored texts, by the rules of the searched index', async () => {
  await storeContent(service.database, [
    { name: 'Crème brûlée', description: 'Caramel', tags: ['dessert'] },
    { name: 'Creme brulee in an hour', description: 'With caramel', creatorId: 2 },
  ]);
  await service.indexed();
  const id = await service.client.upload({ name: 'CREME BRÛLÉE' });
  expect((await namesOf(service, id)).toSorted()).toEqual(['Creme brulee in an hour', 'Crème brûlée']);
});

it('the items similar to an item are a 500 at the deadline of a list while Elasticsearch does not respond', async () => {
  const indices = { get: () => new Promise(() => undefined) };
  const api = await startApiAlone({ LIST_TIMEOUT_MS: '500' }, (elasticsearch) =>
    Object.create(elasticsearch, { indices: { value: Object.assign(Object.create(elasticsearch.indices), indices) } }),
  );
  const id = await api.client.upload();
  expectProblem(await api.client.get(`/api/content/${id}/similar`), 500);
  await api.stop();
});
