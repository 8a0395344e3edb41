import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { acknowledge } from '@ugc/shared/outbox/acknowledge';
import { releaseLostJobs, undoClaims } from '@ugc/shared/outbox/claim';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { Database } from '@ugc/shared/stores/postgres';
import { dropRejected, retryRejected } from '@ugc/shared/outbox/rejected';
import { createEnvironment } from '../support/processes/environment.ts';
import { openStores, type Stores } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

const JOB = '00000000-0000-4000-8000-000000000000';

let stores: Stores;
beforeAll(async () => {
  stores = openStores(await createEnvironment());
});
afterAll(() => stores.close());
beforeEach(() => stores.database.query('delete from index_outbox'));

/** Inserts two rows, the larger id first, so that a scan of the table or of equal index keys reads it first. */
async function insertBackwards({ database }: Stores, columns: string, values: string): Promise<void> {
  for (const id of [2, 1]) {
    await database.query(`insert into index_outbox (content_id, revision, ${columns}) values ($1, 1, ${values})`, [id]);
  }
}

async function aStatementWaits({ database }: Stores): Promise<boolean> {
  const rows = await database.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  return rows.length > 0;
}

const changeBackwards = (database: Database) =>
  database.transaction((tx) =>
    markPending(
      tx,
      [2, 1].map((id) => ({ contentId: id, revision: 2 })),
    ),
  );
const release = (database: Database) => acknowledge(database, { jobId: JOB, generation: 0, results: [] });

it.each<[string, string, string, (database: Database) => Promise<unknown>]>([
  ['the acknowledgement of a job without results, as while indexing is paused', 'job_id, claimed_at', `'${JOB}', now()`, release],
  ['the release of a lost job', 'job_id, claimed_at', `'${JOB}', now()`, (database) => releaseLostJobs(database, [JOB])],
  ['the release of a job that Redis did not accept', 'job_id, claimed_at', `'${JOB}', now()`, (database) => undoClaims(database, [JOB])],
  ['another batch of changes', 'pending_since', 'now()', changeBackwards],
  ['index:rejected retry --all', 'rejected_reason', `'a test'`, (database) => retryRejected(database, 'all')],
  ['index:rejected drop --all', 'rejected_reason', `'a test'`, (database) => dropRejected(database, 'all')],
  ['index:rejected retry of two items', 'rejected_reason', `'a test'`, (database) => retryRejected(database, [2, 1])],
  ['index:rejected drop of two items', 'rejected_reason', `'a test'`, (database) => dropRejected(database, [2, 1])],
])('%s does not deadlock with a rename of the same items', async (_, columns, values, work) => {
  await insertBackwards(stores, columns, values);
  let other: Promise<unknown> = Promise.resolve();
  // Locks the items as a rename does: one after the other, in content_id order.
  await stores.database.transaction(async (tx) => {
    await markPending(tx, [{ contentId: 1, revision: 2 }]);
    other = work(stores.database);
    other.catch(() => undefined);
    await until('the statement waits for the rename', () => aStatementWaits(stores));
    await markPending(tx, [{ contentId: 2, revision: 2 }]);
  });
  await other;
  expect(await stores.database.query('select content_id, revision, rejected_reason from index_outbox order by content_id')).toEqual(
    [1, 2].map((id) => ({ contentId: id, revision: 2, rejectedReason: null })),
  );
});
