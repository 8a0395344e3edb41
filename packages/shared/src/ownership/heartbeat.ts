import { randomUUID } from 'node:crypto';
import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';
import type { Database } from '../postgres/postgres.ts';
import type { DatabaseIdentity } from '../contracts/database-identity.ts';
import { readOwnerRecords, writeOwnerRecord } from './owner-records.ts';
import { RENEW_EVERY_MS } from './owner-watch.ts';

export type HeartbeatDeps = { database: Database; elasticsearch: Elasticsearch };

/** An index that this database owns, and the identity under which it does. */
export type OwnIndex = { indexName: string; alias: string; uuid: string; owner: DatabaseIdentity };

/** `beat` is null if this process has never reached PostgreSQL. */
export type Beat = { beat: string | null; previous: string | null };

/** Renewals in a row that found an unknown beat. A process that ends or is paused between its two writes leaves up to two. */
export const FOREIGN_BEATS_OF_A_TWIN = 3;

/**
 * Every 20 s one of the processes of this database gets a new beat, which it must write into the records.
 * @returns undefined if another process has had one within this time
 */
export async function renewBeat({ database }: HeartbeatDeps): Promise<Beat | undefined> {
  // The clock of PostgreSQL may have been set back.
  const [row] = await database.query<Beat>(
    `update index_control set previous_beat = beat, beat = gen_random_uuid(), beat_at = clock_timestamp()
     where beat_at is null or abs(extract(epoch from clock_timestamp() - beat_at)) >= $1
     returning beat, previous_beat as previous`,
    [RENEW_EVERY_MS / 1_000],
  );
  return row;
}

/**
 * Writes the beat into the records of these indices, unless another process writes them at the same time.
 * @returns whether a record had a beat that this database has never had: a running copy of the data folder has the same
 * identity, and writes to the same indices
 */
export async function writeBeat({ elasticsearch }: HeartbeatDeps, { beat, previous }: Beat, indices: OwnIndex[]): Promise<boolean> {
  let isForeign = false;
  for (const { indexName, alias, uuid, owner } of indices) {
    const record = (await readOwnerRecords(elasticsearch, alias, [uuid])).get(uuid);
    if (record && JSON.stringify(record.owner) !== JSON.stringify(owner)) continue;
    isForeign ||= typeof record?.beat === 'string' && ![beat, previous].includes(record.beat);
    const renewed = { indexName, owner, beat, pulse: randomUUID(), at: new Date().toISOString() };
    await writeOwnerRecord(elasticsearch, { alias, uuid }, renewed, record?.position);
  }
  return isForeign;
}

/** @returns how many renewals in a row have found a foreign beat */
export async function countForeignBeat({ database }: HeartbeatDeps, isForeign: boolean): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `update index_control set foreign_beats = case when $1 then foreign_beats + 1 else 0 end returning foreign_beats as count`,
    [isForeign],
  );
  return row?.count ?? 0;
}
