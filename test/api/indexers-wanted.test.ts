import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/pause';
import { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { ensureIndex } from '../support/indices/index-lock.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { scrape } from '../support/http/scrape.ts';

const SCALING = { PENDING_CHANGES_PER_INDEXER: '10', INDEXERS_MAX: '3' };

function wantedOf({ operationsUrl }: ApiAlone): Promise<number | undefined> {
  return scrape(operationsUrl).then((metrics) => metrics.get('ugc_indexers_wanted'));
}

const untilWanted = (api: ApiAlone, wanted: number): Promise<void> =>
  until(`${wanted} indexers are wanted`, async () => (await wantedOf(api)) === wanted);

describe('while there is no index', () => {
  const api = forAllTests(() => startApiAlone(SCALING));

  it('one indexer is wanted to create it, whatever is pending, because it cannot be shared', async () => {
    await insertItems(api.database, { count: 40 });
    // Without a response of PostgreSQL in time, it is not published.
    let wanted: number | undefined;
    await until('the number is published', async () => (wanted = await wantedOf(api)) !== undefined);
    expect(wanted).toBe(1);
  });
});

describe('with an index and no indexer', () => {
  let proxy: ChaosProxy;
  let api: ApiAlone;
  beforeAll(async () => {
    proxy = await ChaosProxy.before(process.env['TEST_ELASTICSEARCH_URL'] ?? '');
    api = await startApiAlone({ ...SCALING, ELASTICSEARCH_URL: proxy.url, LIST_TIMEOUT_MS: '3000' });
    await ensureIndex(indexDeps(api));
    await untilWanted(api, 0);
  });
  afterAll(async () => {
    await api.stop();
    await proxy.close();
  });

  /** Makes something due with one statement, and undoes it with the other. */
  const DUE: [string, string, string][] = [
    [
      'keys of uploads are to be purged',
      `insert into idempotency_key (user_id, key, request_hash, created_at) values (1, 'old', '', now() - interval '26 hours')`,
      `delete from idempotency_key`,
    ],
    [
      'tombstones are to be purged',
      `insert into content (creator_id, name, description, data, version, deleted_at) values (1, '', '', '', 1, now() - interval '8 days')`,
      `delete from content where deleted_at is not null`,
    ],
    [
      'hashes of searches are to be purged',
      `insert into search_insight_user values (current_date - 2, substr(sha256('a'), 1, 16), substr(sha256('b'), 1, 16))`,
      `delete from search_insight_user`,
    ],
    [
      'prompts of searches are to be purged',
      `insert into search_insight (day, prompt_hash, users, last_at) values (current_date - 32, substr(sha256('a'), 1, 16), 5, now())`,
      `delete from search_insight`,
    ],
    [
      'no comparison was completed for a day',
      `update index_target set role_since = now() - interval '25 hours'`,
      `update index_comparison set last_round = jsonb_build_object('completedAt', now())`,
    ],
    ['a new mapping needs a rebuild', `update index_target set mapping_version = 1`, `update index_target set mapping_version = 1000`],
    ['a rebuild has begun', `update index_target set role = 'next'`, `update index_target set role = 'search'`],
  ];
  it.each(DUE)('one indexer is wanted while %s, and none afterwards', async (_, begin, end) => {
    await api.database.query(begin);
    await untilWanted(api, 1);
    await api.database.query(end);
    await untilWanted(api, 0);
  });

  it('what a running indexer purges within the hour needs no other one', async () => {
    await api.database.query(
      `insert into idempotency_key (user_id, key, request_hash, created_at) values (1, 'young', '', now() - interval '24 hours 30 minutes')`,
    );
    await insertItems(api.database, { count: 1 });
    await untilWanted(api, 1);
    await api.database.query(`delete from index_outbox`);
    await untilWanted(api, 0);
  });

  it('a rejected change needs none', async () => {
    await api.database.query(`insert into index_outbox (content_id, revision, rejected_reason) values (1000, 1, 'test')`);
    await insertItems(api.database, { count: 1 });
    await untilWanted(api, 1);
    await api.database.query(`delete from index_outbox where rejected_reason is null`);
    await untilWanted(api, 0);
  });

  describe('and a backlog', () => {
    beforeAll(async () => void (await insertItems(api.database, { count: 12 })));

    it('one indexer is wanted for each part of it, up to the maximum', async () => {
      await untilWanted(api, 2);
      await insertItems(api.database, { count: 100 });
      await untilWanted(api, 3);
    });

    it('one is wanted while indexing is paused', async () => {
      await pauseIndexing(api.database);
      await untilWanted(api, 1);
      await until('the pause is reported', async () => (await scrape(api.operationsUrl)).get('ugc_index_paused') === 1);
      await resumeIndexing(api.database);
      await untilWanted(api, 3);
      expect((await scrape(api.operationsUrl)).get('ugc_index_paused')).toBe(0);
    });

    it('one is wanted while Elasticsearch is cut off', async () => {
      proxy.silence();
      await untilWanted(api, 1);
      expect((await scrape(api.operationsUrl)).get('ugc_elasticsearch_up')).toBe(0);
      proxy.restore();
      await untilWanted(api, 3);
    });
  });
});
