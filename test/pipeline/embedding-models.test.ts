import { expect, it } from '@jest/globals';
import { IndexerEnv } from '@ugc/indexer/env';
import { startIndexer } from '@ugc/indexer/start-indexer';
import { parseEnv } from '@ugc/shared/process/env';
import { createLog } from '@ugc/shared/process/log';
import { runSteps } from '@ugc/shared/process/shutdown';
import { storeContent } from '../support/database/stored-content.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import type { Environment } from '../support/processes/environment.ts';
import { startSemanticService } from '../support/processes/semantic-service.ts';

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
