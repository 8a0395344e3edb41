/** @store-timeout-factor 3 */
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startCluster } from '../../support/cluster/cluster.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { Uploads } from '../../support/cluster/uploads.ts';
import { insertItems } from '../../support/database/insert-items.ts';
import { forAllTests } from '../../support/jest/for-all-tests.ts';
import { long } from '../../support/jest/long.ts';
import { until } from '../../support/jest/until.ts';
import { EmbeddingServer } from '../../support/servers/embedding-server.ts';

const LIST = { sort: 'relevance', size: 100 };
const ITEMS = ['sofa', 'sofa and couch', 'sofa for a cat', 'couch for a kitten', 'settee beside a sofa'];
const PROMPTS = ['sofa', 'couch', 'cat', 'kitten', 'sofa couch'];
/** So many failures end the calls of one user for some time. */
const MORE_THAN_A_BREAKER_NEEDS = 10;

const started = forAllTests(async () => {
  const embeddings = await EmbeddingServer.start();
  const cluster = await startCluster({ postgres: true, proxied: ['postgres'] }, { EMBEDDINGS_URL: embeddings.url });
  return { embeddings, cluster, stop: () => cluster.stop().finally(() => embeddings.stop()) };
});
let matches: Map<string, string[]>;
let uploads: Uploads;
beforeAll(async () => {
  for (const name of ITEMS) await started.cluster.client.upload({ name });
  await started.cluster.indexed();
  await untilRecovered();
});
beforeEach(async () => {
  uploads = new Uploads();
  await started.cluster.indexed();
  matches = new Map();
  for (const prompt of PROMPTS)
    matches.set(prompt, (await started.cluster.client.search(prompt, { ...LIST, semantic: 'false' })).toSorted());
});

it('while the embedding service hangs, uploads, indexing and lists keep their promises, and afterwards every item gets a vector', async () => {
  const { cluster, embeddings } = started;
  embeddings.behaviour = { hangs: true };
  await Promise.all([uploads.sendMany(cluster.client, 'hung', 50), expectRankedByWords()]);
  await insertItems(cluster.database, { count: 500, prefix: 'backlog' });
  await expectRankedByWords();
  expect(uploads.statusesBut(201)).toEqual([]);
  await expectNothingLost(cluster, uploads);
  expect((await cluster.client.get('/health/ready')).status).toBe(200);
  embeddings.behaviour = {};
  embeddings.closeConnections();
  await untilRecovered();
});

describe('lists are ranked by words, and complete, and by meaning again afterwards, when PostgreSQL', () => {
  it('is suspended by SIGSTOP and does not respond', async () => {
    started.cluster.postgres?.signal('SIGSTOP');
    // Also if it fails: a suspended server would hold up all further tests.
    await expectRankedByWords().finally(() => started.cluster.postgres?.signal('SIGCONT'));
    await expectRecovery();
  });

  it('is down after it was killed', async () => {
    await started.cluster.postgres?.kill();
    await expectRankedByWords().finally(() => started.cluster.postgres?.start());
    await expectRecovery();
  });

  long.it('is behind a network that drops all packets', async () => {
    started.cluster.proxies.postgres?.silence();
    await expectRankedByWords();
    started.cluster.proxies.postgres?.restore();
    await expectRecovery();
  });
});

/** More lists than end the calls of the breakers, one after the other and at the same time. */
async function expectRankedByWords(): Promise<void> {
  const one = (n: number) => expectList(PROMPTS[n % PROMPTS.length] ?? '');
  for (let n = 0; n < MORE_THAN_A_BREAKER_NEEDS; n += 1) await one(n);
  await Promise.all(Array.from({ length: MORE_THAN_A_BREAKER_NEEDS }, (_, n) => one(n)));
}

async function expectList(prompt: string): Promise<void> {
  const { status, headers, body } = await started.cluster.client.list({ ...LIST, prompt });
  expect([status, headers.get('search-ranking')]).toEqual([200, 'lexical']);
  expect(body.content.map(({ name }) => name).toSorted()).toEqual(matches.get(prompt));
}

async function expectRecovery(): Promise<void> {
  await uploads.sendUntil(started.cluster.client, 201, 'recovered');
  await expectNothingLost(started.cluster, uploads);
  await untilRecovered();
}

async function untilRecovered(): Promise<void> {
  const { database, client } = started.cluster;
  const missing = `select from content c where deleted_at is null
    and not exists (select from embedding e where e.content_id = c.content_id and e.vector is not null)`;
  await until('every item has a vector', async () => (await database.query(missing)).length === 0);
  const ranking = async () => (await client.list({ ...LIST, prompt: 'sofa' })).headers.get('search-ranking');
  await until('lists are ranked by meaning', async () => (await ranking()) === 'semantic');
}
