import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hideContent, showContent } from '@ugc/items/changes/hidden-content';
import { claimWork, releaseWork, type Work } from '@ugc/indexer/embeddings/claim-work';
import { storeVectors } from '@ugc/indexer/embeddings/store-vectors';
import { walk } from '@ugc/indexer/embeddings/walk';
import { IndexerEnv } from '@ugc/indexer/env';
import { startIndexer } from '@ugc/indexer/start-indexer';
import { readWaiting } from '@ugc/shared/embeddings/status';
import { findSearchedGeneration, openGeneration, useGeneration } from '@ugc/shared/embeddings/generations';
import { parseEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import { runSteps } from '@ugc/shared/process/lifecycle';
import { storeContent } from '../support/database/stored-content.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { indexCommand } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { startSemanticService } from '../support/processes/semantic-service.ts';
import { openStores, type Stores } from '../support/processes/service.ts';

describe('the work of embedding', () => {
  const VECTOR = Float32Array.of(0.6, 0.8);
  const MODEL = { EMBEDDINGS_MODEL: 'm', EMBEDDINGS_QUERY_PREFIX: '', EMBEDDINGS_TEXT_PREFIX: '', EMBEDDINGS_DIMENSIONS: undefined };

  let env: Environment;
  let stores: Stores;
  let generation: number;
  let item: number;
  beforeAll(async () => {
    env = await createEnvironment();
    stores = openStores(env, 5);
  });
  afterAll(() => stores.close());

  beforeEach(async () => {
    await stores.database.query('delete from embedding_work');
    await stores.database.query('delete from embedding');
    await stores.database.query('delete from embedding_model');
    await stores.database.query('delete from index_outbox');
    await stores.database.query('delete from content');
    ({ generation } = await openGeneration(stores.database, MODEL));
    [item = 0] = await storeContent(stores.database, [{ name: 'sofa', tags: ['red'], description: 'soft' }]);
    await walk(stores.database, generation);
  });

  const claim = async (): Promise<Work[]> => (await claimWork(stores.database, generation, 32)) ?? [];
  const vectors = () => stores.database.query('select from embedding where vector is not null');
  const work = () => stores.database.query('select from embedding_work');
  const made = (claimed: Work[]) => claimed.map((one) => ({ work: one, vector: VECTOR }));

  describe('the work list of the embeddings', () => {
    it('has each item once, with its name, tags and description, and no other indexer gets it meanwhile', async () => {
      const [first, second] = [await claim(), await claim()];
      expect(first).toMatchObject([{ contentId: item, text: 'sofa\nred\nsoft', attempts: 0 }]);
      expect(second).toEqual([]);
      await storeVectors(stores.database, generation, made(first));
      expect([(await vectors()).length, (await work()).length]).toEqual([1, 0]);
    });

    it('is divided among the creators: whoever has added much waits behind others', async () => {
      const many = await storeContent(
        stores.database,
        Array.from({ length: 40 }, (_, n) => ({ name: `many ${n}` })),
      );
      await walk(stores.database, generation);
      const [other = 0] = await storeContent(stores.database, [{ creatorId: 2, name: 'other' }]);
      await walk(stores.database, generation);
      const claimed = (await claim()).map(({ contentId }) => contentId);
      expect(claimed.slice(0, 3)).toEqual([item, other, many[0]]);
      expect(claimed).toHaveLength(32);
    });

    it('keeps the work of a text that is edited while it is embedded, and stores no vector of the older text', async () => {
      const claimed = await claim();
      await stores.database.query(`update content set name = 'couch' where content_id = $1`, [item]);
      await storeVectors(stores.database, generation, made(claimed));
      expect(await vectors()).toEqual([]);
      expect(await claim()).toMatchObject([{ contentId: item, text: 'couch\nred\nsoft' }]);
    });

    it('stores no vector of an item that is deleted while it is embedded', async () => {
      const claimed = await claim();
      await stores.database.query(`update content set name = '', deleted_at = now() where content_id = $1`, [item]);
      await storeVectors(stores.database, generation, made(claimed));
      expect(await vectors()).toEqual([]);
      expect(await claim()).toEqual([]);
      expect(await work()).toEqual([]);
    });

    it('has no vector of a hidden item, and makes one when it is shown again', async () => {
      await storeVectors(stores.database, generation, made(await claim()));
      await hideContent(stores.database, item, { moderator: '1', reason: 'a test' });
      await walk(stores.database, generation);
      expect([(await vectors()).length, (await work()).length]).toEqual([0, 0]);
      await showContent(stores.database, item);
      expect(await claim()).toMatchObject([{ contentId: item, text: 'sofa\nred\nsoft' }]);
    });

    it('does not wait for a transaction that has the item, and keeps the work', async () => {
      const claimed = await claim();
      await stores.database.transaction(async (tx) => {
        await tx.query('select from content where content_id = $1 for no key update', [item]);
        await storeVectors(stores.database, generation, made(claimed));
      });
      expect([(await vectors()).length, (await claim()).length]).toEqual([0, 1]);
    });

    it('removes the work of an item that has a vector of its present text', async () => {
      await storeVectors(stores.database, generation, made(await claim()));
      await stores.database.query('insert into embedding_work (content_id) values ($1)', [item]);
      expect(await claim()).toEqual([]);
      expect(await work()).toEqual([]);
    });

    it('keeps the work of an edit that a claim has not read', async () => {
      await storeVectors(stores.database, generation, made(await claim()));
      await stores.database.query('insert into embedding_work (content_id) values ($1)', [item]);
      const transaction: typeof stores.database.transaction = async (run) => {
        const claimed = await stores.database.transaction(run);
        await stores.database.query(`update content set name = 'couch' where content_id = $1`, [item]);
        return claimed;
      };
      expect(await claimWork({ ...stores.database, transaction }, generation, 32)).toEqual([]);
      expect(await claim()).toMatchObject([{ contentId: item, text: 'couch\nred\nsoft' }]);
    });

    it('is done only for the model that is being filled', async () => {
      const claimed = await claim();
      await stores.database.query(`update embedding_model set state = 'search'`);
      const next = await openGeneration(stores.database, { ...MODEL, EMBEDDINGS_MODEL: 'next' });
      await storeVectors(stores.database, generation, made(claimed));
      expect([(await vectors()).length, await claim()]).toEqual([1, []]);
      expect(await claimWork(stores.database, next.generation, 32)).toMatchObject([{ contentId: item }]);
    });

    it('is all items, as long as no indexer has had EMBEDDINGS_URL', async () => {
      await stores.database.query('delete from embedding_work');
      expect(await readWaiting(stores.database)).toEqual({ waiting: 0, oldestWaitingSeconds: null });
      await stores.database.query('delete from embedding_model');
      expect(await readWaiting(stores.database)).toEqual({ waiting: 1, oldestWaitingSeconds: expect.any(Number) });
    });

    it('counts the attempts of released work, which is due later', async () => {
      const [claimed] = await claim();
      await releaseWork(stores.database, [claimed?.contentId ?? 0], { delayMs: 3_600_000, attempts: 1 });
      expect(await claim()).toEqual([]);
      await stores.database.query('update embedding_work set due_at = now()');
      expect(await claim()).toMatchObject([{ attempts: 1 }]);
    });
  });

  it('an indexer opens its model again when no indexer works with the model that replaced it', async () => {
    const other = await openGeneration(stores.database, { ...MODEL, EMBEDDINGS_MODEL: 'mistaken' });
    expect([await useGeneration(stores.database, generation), await useGeneration(stores.database, other.generation)]).toEqual([
      false,
      false,
    ]);
    await stores.database.query(`update embedding_model set used_at = used_at - interval '11 minutes'`);
    expect(await useGeneration(stores.database, generation)).toBe(true);
    const again = await openGeneration(stores.database, MODEL);
    expect([await useGeneration(stores.database, again.generation), await useGeneration(stores.database, other.generation)]).toEqual([
      false,
      false,
    ]);
    await stores.database.query('delete from embedding_model');
    expect(await useGeneration(stores.database, again.generation)).toBe(true);
  });

  describe('the commands of the embeddings', () => {
    it('show the vectors, and have all of them made again', async () => {
      await storeVectors(stores.database, generation, made(await claim()));
      const counts = { items: 1, embedded: 1, refused: 0, waiting: 0, oldestWaitingSeconds: null };
      const status = { model: 'm', filling: true, searchedModel: null, ...counts };
      expect(await indexCommand(env, 'embeddings', 'status', '--json')).toMatchObject({ code: 0, json: [status] });
      const { stdout } = await indexCommand(env, 'embeddings', 'status');
      expect(stdout).toMatch(/with a vector +1 of 1 items/);
      expect(await indexCommand(env, 'index-status', '--json')).toMatchObject({ code: 0, json: [{ embeddings: status }] });
      const row = 'vectors +1 of 1 items, 0 refused, 0 waiting; being filled: m; searched until then: none';
      expect((await indexCommand(env, 'index-status')).stdout).toMatch(new RegExp(`^${row}$`, 'm'));
      expect(await indexCommand(env, 'embeddings', 'rebuild', '--json')).toMatchObject({ code: 0, json: [{ items: 1 }] });
      await walk(stores.database, generation);
      expect(await claim()).toMatchObject([{ contentId: item }]);
      expect((await vectors()).length).toBe(1);
    });

    it('say that there are none', async () => {
      await stores.database.query('delete from embedding_model');
      expect(await indexCommand(env, 'embeddings', 'status')).toMatchObject({ code: 1, stderr: expect.stringContaining('EMBEDDINGS_URL') });
    });
  });

  describe('a walk', () => {
    const searched = async () => (await findSearchedGeneration(stores.database))?.generation;
    const walkOn = async (): Promise<void> => {
      while (await walk(stores.database, generation));
    };
    const walkOnce = async (): Promise<void> => {
      await stores.database.query('update embedding_model set walk_due_at = clock_timestamp()');
      await walkOn();
    };

    it('makes a model searched when it has found every item with a vector, and not before', async () => {
      await walkOnce();
      expect(await searched()).toBeUndefined();
      await storeVectors(stores.database, generation, made(await claim()));
      await walkOnce();
      expect(await searched()).toBe(generation);
    });

    it('finds items that are loaded into the database after its end, before the next one is due', async () => {
      await storeVectors(stores.database, generation, made(await claim()));
      await walkOnce();
      const loaded = await storeContent(stores.database, [{ name: 'couch' }, { name: 'settee' }]);
      await walkOn();
      expect((await claim()).map(({ contentId }) => contentId)).toEqual(loaded);
    });

    it('finds items that are loaded after it has found none at all', async () => {
      await stores.database.query('delete from embedding_work');
      await stores.database.query('delete from content');
      await walkOnce();
      expect(await searched()).toBe(generation);
      const loaded = await storeContent(stores.database, [{ name: 'couch' }]);
      await walkOn();
      expect(await claim()).toMatchObject([{ contentId: loaded[0] }]);
    });

    it('begins with the first item when it is due again', async () => {
      await storeVectors(stores.database, generation, made(await claim()));
      await walkOnce();
      await stores.database.query(`update content set name = 'edited elsewhere' where content_id = $1`, [item]);
      await walkOn();
      expect(await claim()).toEqual([]);
      await walkOnce();
      expect(await claim()).toMatchObject([{ contentId: item }]);
    });
  });
});

describe('the models', () => {
  const LIST = { prompt: 'sofa', sort: 'relevance' };
  const service = forAllTests(() => startSemanticService({ EMBEDDINGS_MODEL: 'first' }));

  type Indexer = { stop(): Promise<void> };

  async function startIndexerWith(env: Environment): Promise<Indexer> {
    const log = createLog('test', 'silent');
    const { shutdown } = await startIndexer(parseEnv(IndexerEnv, { ...service.env, ...env }), log);
    return { stop: () => runSteps(log, shutdown) };
  }

  const models = async (): Promise<Record<string, string>> => {
    const rows = await service.database.query<{ model: string; state: string }>('select model, state from embedding_model');
    return Object.fromEntries(rows.map(({ model, state }) => [state, model]));
  };
  const modelsOfPrompts = (): string[] => service.embeddings.requests.filter(({ input }) => input[0] === 'sofa').map(({ model }) => model);

  it('another model is filled in the background, and searched when it is complete', async () => {
    for (let n = 0; n < 5; n += 1) await service.client.upload({ name: `sofa ${n}` });
    await service.embedded();
    await until('lists are ranked by meaning', async () => (await service.client.list(LIST)).headers.get('search-ranking') === 'semantic');
    service.embeddings.behaviour = { refusesModel: 'second' };
    const indexer = await startIndexerWith({ EMBEDDINGS_MODEL: 'second' });
    await until('the second model is being filled', async () => (await models())['next'] === 'second');
    // Items of the meantime are found too.
    const contentId = await service.client.upload({ name: 'sofa of the meantime' });
    const { headers } = await service.client.list(LIST);
    expect([headers.get('search-ranking'), modelsOfPrompts().at(-1)]).toEqual(['semantic', 'first']);
    service.embeddings.behaviour = {};
    await until('the second model is searched', async () => (await models())['search'] === 'second');
    expect(await models()).toEqual({ search: 'second', previous: 'first' });
    const missing = `select c.content_id from content c where not exists (
      select from embedding e join embedding_model m using (generation) where e.content_id = c.content_id and m.state = 'search')`;
    expect(await service.database.query(missing)).toEqual([]);
    await until('prompts are embedded by the second model', async () => {
      expect((await service.client.list(LIST)).body.totalElements).toBe(6);
      return modelsOfPrompts().at(-1) === 'second';
    });
    expect((await service.client.list(LIST)).body.content.map((item) => item.contentId)).toContain(contentId);
    await service.database.query(`update embedding_model set walk_due_at = clock_timestamp() where state = 'previous'`);
    await until('the vectors of the first model are removed', async () => (await models())['previous'] === undefined);
    expect(await service.database.query('select from embedding where generation not in (select generation from embedding_model)')).toEqual(
      [],
    );
    await indexer.stop();
  });

  it('a walk finds items that have no vector, as after switching on', async () => {
    await storeContent(service.database, [{ name: 'sofa from before' }]);
    const indexer = await startIndexerWith({ EMBEDDINGS_MODEL: 'second' });
    await until('the text is embedded', () => service.embeddings.texts.includes('sofa from before'));
    await indexer.stop();
  });

  it('a model that was chosen by mistake is given up, and the searched one stays', async () => {
    service.embeddings.behaviour = { refusesModel: 'third' };
    await (await startIndexerWith({ EMBEDDINGS_MODEL: 'third' })).stop();
    const mistaken = await startIndexerWith({ EMBEDDINGS_MODEL: 'third' });
    await until('the third model is being filled', async () => (await models())['next'] === 'third');
    await mistaken.stop();
    const indexer = await startIndexerWith({ EMBEDDINGS_MODEL: 'second' });
    await until('the third model is given up', async () => (await models())['next'] === undefined);
    expect((await models())['search']).toBe('second');
    await indexer.stop();
  });
});
