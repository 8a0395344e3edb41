import type { Elasticsearch } from '@ugc/shared/elasticsearch';
import type { Database } from '@ugc/shared/postgres';
import { expect } from '@jest/globals';
import type { Client } from './client.ts';

type World = { database: Database; elasticsearch: Elasticsearch; client: Client; env: Record<string, string>; indexed(): Promise<void> };

/**
 * The promise as a whole: every item answered 201 is stored as it was sent, the index holds exactly PostgreSQL's items, each once
 * and in its newest revision, and nothing is left over or rejected.
 */
export async function expectNothingLost(world: World, uploaded: Map<number, string>): Promise<void> {
  await world.indexed();
  const rows = await world.database.query<{ content_id: number; name: string; revision: number }>(
    'select content_id, name, revision from content order by content_id',
  );
  const stored = new Map(rows.map((row) => [row.content_id, row.name]));
  for (const [id, name] of uploaded) expect(stored.get(id)).toBe(name);
  expect(await world.database.query('select content_id, rejected_reason from index_outbox')).toEqual([]);
  expect(await indexedRevisions(world)).toEqual(rows.map((row) => [row.content_id, row.revision]));
  const list = await world.client.list({ size: 1 });
  expect(list.body.totalElements).toBe(rows.length);
}

async function indexedRevisions({ elasticsearch, env }: World): Promise<[number, number][]> {
  const { hits } = await elasticsearch.search({
    index: env['CONTENT_ALIAS'] ?? '',
    size: 10_000,
    version: true,
    _source: false,
    sort: [{ contentId: 'asc' }],
  });
  return hits.hits.map((hit) => [Number(hit._id), hit._version ?? 0]);
}

/** Uploads items one after the other and remembers which were answered 201. */
export async function uploadMany(client: Client, names: string[]): Promise<Map<number, string>> {
  const uploaded = new Map<number, string>();
  for (const name of names) {
    const answer = await client.tryUpload({ name });
    if (answer.status === 201) uploaded.set(answer.body.content_id, name);
  }
  return uploaded;
}

export function named(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, position) => `${prefix} ${position}`);
}
