import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startSemanticService } from '../support/processes/semantic-service.ts';
import type { Behaviour } from '../support/servers/embedding-server.ts';

const LIST = { prompt: 'sofa', sort: 'relevance' };

describe('while the embedding service fails', () => {
  const service = forAllTests(() => startSemanticService({ EMBEDDINGS_TIMEOUT_MS: '1000' }));

  beforeAll(async () => {
    for (const name of ['sofa', 'sofa and couch', 'sofa for a cat']) await service.client.upload({ name });
    await service.embedded();
    await untilSemantic();
  });
  afterEach(async () => {
    service.embeddings.behaviour = {};
    await untilSemantic();
  });

  const list = async (): Promise<{ status: number; ranking: string | null; names: string[] }> => {
    const { status, headers, body } = await service.client.list(LIST);
    return { status, ranking: headers.get('search-ranking'), names: body.content.map(({ name }) => name) };
  };
  /** A breaker closes after 10 s. */
  const untilSemantic = (): Promise<void> => until('the list is ranked by meaning', async () => (await list()).ranking === 'semantic');

  it.each<[string, Behaviour]>([
    ['hangs', { hangs: true }],
    ['returns 500', { status: 500 }],
    ['returns 429', { status: 429, headers: { 'retry-after': '1' } }],
    ['refuses the prompt', { status: 400 }],
    ['returns vectors of a wrong length', { change: (vectors) => vectors.map((vector) => vector.slice(1)) }],
    ['returns NaN', { body: '{"data":[{"embedding":[NaN]}]}' }],
    ['returns something else', { body: '<html></html>' }],
  ])('a list is ranked by words, and complete: it %s', async (_, behaviour) => {
    const byWords = await service.client.search('sofa', { ...LIST, semantic: 'false' });
    service.embeddings.behaviour = behaviour;
    for (let n = 0; n < 5; n += 1) expect(await list()).toEqual({ status: 200, ranking: 'lexical', names: byWords });
    expect((await service.client.get('/health/ready')).status).toBe(200);
  });

  it('after three failures it is not asked for some time', async () => {
    service.embeddings.behaviour = { status: 500 };
    const before = service.embeddings.requests.length;
    for (let n = 0; n < 20; n += 1) expect((await list()).ranking).toBe('lexical');
    // A probe after 10 s is possible on a slow machine.
    expect(service.embeddings.requests.length - before).toBeLessThan(10);
  });

  it('prompts that it refuses do not keep other lists from being ranked by meaning', async () => {
    service.embeddings.behaviour = { refuses: /couch/ };
    for (let n = 0; n < 5; n += 1)
      expect((await service.client.list({ ...LIST, prompt: 'couch sofa' })).headers.get('search-ranking')).toBe('lexical');
    expect((await list()).ranking).toBe('semantic');
  });

  it('uploads are stored, searchable at once, and embedded when it is back', async () => {
    service.embeddings.behaviour = { hangs: true };
    const contentId = await service.client.upload({ name: 'settee in the rain' });
    await service.indexed();
    expect(await service.client.search('settee')).toEqual(['settee in the rain']);
    const waiting = 'select content_id from embedding_work where content_id = $1';
    expect(await service.database.query(waiting, [contentId])).toHaveLength(1);
    // The request that hangs ends with its connection.
    service.embeddings.behaviour = {};
    service.embeddings.closeConnections();
    await service.embedded();
  });

  it('a text that it refuses is marked and not sent again, and its item and all others are searched', async () => {
    service.embeddings.behaviour = { refuses: /unspeakable/ };
    await Promise.all(['one', 'two', 'unspeakable', 'three'].map((name) => service.client.upload({ name: `sofa ${name}` })));
    await service.embedded();
    const refused = await service.database.query<{ name: string; refusedReason: string }>(
      'select c.name, e.refused_reason from embedding e join content c using (content_id) where e.vector is null',
    );
    expect(refused).toEqual([{ name: 'sofa unspeakable', refusedReason: expect.stringContaining('responded with 400') }]);
    expect((await service.client.search('sofa', LIST)).length).toBeGreaterThanOrEqual(7);
    const metrics = async (): Promise<string> => (await fetch(`${service.operationsUrl}/metrics`)).text();
    await until('the items are counted', async () => /ugc_embedding_items\{kind="refused"\} [01]/.test(await metrics()));
    await service.client.upload({ name: 'sofa four' });
    await service.embedded();
    const [row] = await service.database.query<{ attempts: number }>('select count(*) as attempts from embedding_work');
    expect(row?.attempts).toBe(0);
  });

  it('no text is refused while the service refuses every one', async () => {
    service.embeddings.behaviour = { status: 400 };
    const before = service.embeddings.requests.length;
    const contentId = await service.client.upload({ name: 'sofa in the dark' });
    await until('it was asked twice', () => service.embeddings.requests.length > before + 2);
    const stored = 'select content_id from embedding where content_id = $1';
    expect(await service.database.query(stored, [contentId])).toEqual([]);
    service.embeddings.behaviour = {};
    await service.embedded();
    expect(await service.database.query(`${stored} and vector is not null`, [contentId])).toHaveLength(1);
  });
});
