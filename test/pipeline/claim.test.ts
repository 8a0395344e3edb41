import { expect, it } from '@jest/globals';
import { claimDue } from '@ugc/shared/outbox/claim';
import type { Database, Query } from '@ugc/shared/stores/postgres';
import { randomUUID } from 'node:crypto';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

const service = forAllTests(() => startService());

it('an item whose transaction commits 5 s after its change became due is indexed', async () => {
  await service.database.transaction(async (tx) => {
    await tx.query(
      `with c as (insert into content (creator_id, name, description, data, version) values (1, 'committed late', '', '', 1)
         returning content_id, revision)
       insert into index_outbox (content_id, revision, pending_since, due_at)
       select content_id, revision, now() - interval '5 s', now() - interval '5 s' from c`,
    );
    // Meanwhile the relay claims rows that became due later.
    for (let n = 0; n < 3; n++) {
      await service.client.upload({ name: 'overtaking' });
      await service.indexed();
    }
  });
  await until('the item is found', async () => (await service.client.search('"committed late"')).length === 1);
  expect(await service.client.search('overtaking')).toHaveLength(3);
});

type Plan = { 'Index Name'?: string; 'Index Cond'?: string; 'Rows Removed by Filter'?: number; Plans?: Plan[] };

function scansOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(scansOf)];
}

/** The nodes of PostgreSQL's plan for the statement that `work` sends. */
async function explained(database: Database, work: (explaining: Database) => Promise<unknown>): Promise<Plan[]> {
  let scans: Plan[] = [];
  const query = (async (text, values) => {
    const [row] = await database.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`explain (analyze, format json) ${text}`, values);
    scans = scansOf(row?.['QUERY PLAN'][0]?.Plan ?? {});
    return [];
  }) as Query;
  await work({ ...database, query });
  return scans;
}

it('a claim reads no row that is not due yet', async () => {
  await service.database.query(
    `insert into index_outbox (content_id, revision, due_at)
     select n, 1, now() + interval '1 hour' from generate_series(1000001, 1020000) n`,
  );
  await service.database.query('analyze index_outbox');
  const scans = await explained(service.database, (database) => claimDue(database, randomUUID(), { atMost: 100 }));
  const due = scans.find((scan) => scan['Index Name'] === 'index_outbox_due');
  expect(due?.['Index Cond']).toContain('due_at <= ');
  expect(scans.map((scan) => scan['Rows Removed by Filter'] ?? 0).reduce((sum, rows) => sum + rows)).toBe(0);
  await service.database.query('delete from index_outbox where content_id > 1000000');
});
