import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startApiAlone, type ApiAlone } from '../support/api-alone.ts';
import { insertItems } from '../support/insert-items.ts';
import { CLAIMED, countOutbox } from '../support/outbox.ts';
import { until } from '../support/until.ts';

/** Without an indexer, so that jobs wait. */
let api: ApiAlone;
beforeAll(async () => {
  api = await startApiAlone();
});
afterAll(() => api.stop());

async function jobOf(contentId: number): Promise<string | null | undefined> {
  const [row] = await api.database.query<{ job_id: string | null }>('select job_id from index_outbox where content_id = $1', [contentId]);
  return row?.job_id;
}

const madeSilent = (contentIds: number[]) =>
  api.database.query(`update index_outbox set claimed_at = claimed_at - interval '1 hour' where content_id = any($1)`, [contentIds]);

it('what a job kept that is gone is handed out again, what a job keeps that still waits is not', async () => {
  const [waiting = 0, lost = 0] = await insertItems(api.database, { count: 2 });
  await until('both are handed out', async () => (await countOutbox(api.database, CLAIMED)) === 2);
  const keeps = await jobOf(waiting);
  const gone: string = randomUUID();
  await api.database.query('update index_outbox set job_id = $2 where content_id = $1', [lost, gone]);
  await madeSilent([waiting, lost]);
  await until('the lost one is handed out again', async () => ![gone, null, undefined].includes(await jobOf(lost)));
  expect(await jobOf(waiting)).toBe(keeps);
});
