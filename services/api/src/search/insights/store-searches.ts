import { SEARCH_INSIGHT_USERS_MIN } from '@ugc/shared/contracts/retention';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import type { Redis } from 'ioredis';
import { createHmac, randomBytes } from 'node:crypto';
import type { Search } from './prompt-counts.ts';

export type InsightStores = { database: Database; redis: Redis; queuePrefix: string };

type Hashed = Search & { promptHash: Buffer; userHash: Buffer };

const HASH_BYTES = 16;
const KEY_BYTES = 32;
const DAY_SECONDS = 86_400;
/** The clocks of two processes differ. */
const KEY_KEPT_SECONDS = 600;

/** Counts the searches. PostgreSQL gets the texts of prompts only after they have been sent by enough users. */
export async function storeSearches(stores: InsightStores, searches: Search[]): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const key = await keyOfDay(stores, day);
  const hashed = searches.map((search) => withHashes(search, key));
  await stores.database.transaction(async (tx) => {
    const shown = new Set(await count(tx, day, hashed));
    const named = hashed.filter(({ promptHash }) => shown.has(promptHash.toString('hex')));
    if (named.length > 0) await name(tx, day, named);
  });
}

/**
 * The key that all processes share. It is in Redis, and not in PostgreSQL, and ends with the day: whoever has the
 * database alone, or comes later, cannot find out by trying which prompt or user a hash is of.
 */
async function keyOfDay({ redis, queuePrefix }: InsightStores, day: string): Promise<string> {
  const name = `${queuePrefix}:search-insights:${day}`;
  const secondsLeft = DAY_SECONDS - (Math.floor(Date.now() / 1_000) % DAY_SECONDS);
  await redis.set(name, randomBytes(KEY_BYTES).toString('base64'), 'EX', secondsLeft + KEY_KEPT_SECONDS, 'NX');
  const key = await redis.get(name);
  if (key === null) throw new Error('Redis has lost the key of the day');
  return key;
}

function withHashes(search: Search, key: string): Hashed {
  const { prompt, user } = search;
  // The hash includes the prompt, so that two prompts do not show that they are of the same user.
  return { ...search, promptHash: hash(key, [prompt]), userHash: hash(key, [prompt, user]) };
}

function hash(key: string, parts: (string | number)[]): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest().subarray(0, HASH_BYTES);
}

/** Locks rows in the order of their keys. @returns the hashes, in hexadecimal digits, of prompts that enough users have sent */
async function count(tx: Tx, day: string, searches: Hashed[]): Promise<string[]> {
  const rows = await tx.query<{ hash: string }>(
    `/* search insights: count */
     with searches as (
       select * from unnest($2::bytea[], $3::bytea[], $4::boolean[]) as s (prompt_hash, user_hash, is_empty)
     ), new_user as (
       insert into search_insight_user (day, prompt_hash, user_hash)
       select $1::date, prompt_hash, user_hash from searches order by prompt_hash, user_hash
       on conflict do nothing returning prompt_hash
     ), counted as (
       insert into search_insight as i (day, prompt_hash, users, nothing_found, corrected, last_at)
       select $1::date, prompt_hash, coalesce(max(n.users), 0), count(*) filter (where is_empty), count(*) filter (where not is_empty),
         date_trunc('hour', clock_timestamp())
       from searches left join (select prompt_hash, count(*) as users from new_user group by prompt_hash) n using (prompt_hash)
       group by prompt_hash order by prompt_hash
       on conflict (day, prompt_hash) do update set users = i.users + excluded.users,
         nothing_found = i.nothing_found + excluded.nothing_found, corrected = i.corrected + excluded.corrected,
         last_at = excluded.last_at
       returning prompt_hash, users
     )
     select encode(prompt_hash, 'hex') as hash from counted where users >= ${SEARCH_INSIGHT_USERS_MIN}`,
    [day, searches.map((s) => s.promptHash), searches.map((s) => s.userHash), searches.map((s) => s.isEmpty)],
  );
  return rows.map((row) => row.hash);
}

async function name(tx: Tx, day: string, searches: Hashed[]): Promise<void> {
  await tx.query(
    `/* search insights: name */
     update search_insight i set prompt = s.prompt, correction = coalesce(s.correction, i.correction)
     from (select prompt_hash, max(prompt) as prompt, max(correction) as correction
       from unnest($2::bytea[], $3::text[], $4::text[]) as s (prompt_hash, prompt, correction) group by prompt_hash) s
     where i.day = $1::date and i.prompt_hash = s.prompt_hash`,
    [day, searches.map((s) => s.promptHash), searches.map((s) => s.prompt), searches.map((s) => s.correction ?? null)],
  );
}
