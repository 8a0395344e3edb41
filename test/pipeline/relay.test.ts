import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { CLAIMED, countOutbox } from '../support/database/outbox.ts';
import { until } from '../support/jest/until.ts';

/** There is no indexer, so jobs remain in the queue. */
const api = forAllTests(() => startApiAlone());

async function jobOf(contentId: number): Promise<string | null | undefined> {
  const [row] = await api.database.query<{ jobId: string | null }>('select job_id from index_outbox where content_id = $1', [contentId]);
  return row?.jobId;
}

const claimedLongAgo = (contentIds: number[]) =>
  api.database.query(`update index_outbox set claimed_at = claimed_at - interval '1 hour' where content_id = any($1)`, [contentIds]);

it('the relay claims the changes of a lost job again and leaves the changes of a waiting job claimed', async () => {
  const [waiting = 0, lost = 0] = await insertItems(api.database, { count: 2 });
  await until('both items are claimed', async () => (await countOutbox(api.database, CLAIMED)) === 2);
  const waitingJob = await jobOf(waiting);
  const lostJob: string = randomUUID();
  await api.database.query('update index_outbox set job_id = $2 where content_id = $1', [lost, lostJob]);
  await claimedLongAgo([waiting, lost]);
  await until('the change of the lost job is claimed again', async () => ![lostJob, null, undefined].includes(await jobOf(lost)));
  expect(await jobOf(waiting)).toBe(waitingJob);
});

it('while a job waits for an indexer, single changes collect into few jobs, and none is left unclaimed', async () => {
  const ids: number[] = [];
  for (let n = 0; n < 30; n += 1) ids.push(await api.client.upload());
  await until('all are claimed', async () => (await countOutbox(api.database, `not (${CLAIMED})`)) === 0);
  const jobs = await api.database.query(`select distinct job_id from index_outbox where content_id = any($1)`, [ids]);
  expect(jobs.length).toBeLessThan(15);
});
