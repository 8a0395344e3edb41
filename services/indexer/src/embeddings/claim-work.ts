import { creatorOf } from '@ugc/shared/contracts/content';
import { textHash } from '@ugc/shared/embeddings/embedding-work';
import { WORKED_FOR } from '@ugc/shared/embeddings/generations';
import { claiming } from '@ugc/shared/outbox/claim-bound';
import { anyOf } from '@ugc/shared/outbox/states';
import type { Database } from '@ugc/shared/postgres/postgres';

/** An item whose text is to be embedded, and how many times the service has failed for its text alone. */
export type Work = { contentId: number; attempts: number; text: string; textHash: Buffer };

type Claimed = { contentId: number; attempts: number; isDue: boolean } & {
  [Column in 'name' | 'description']: string | null;
} & { tags: string[] | null; textHash: Buffer | null };

/** After a crash, another indexer continues. The unit is a second. */
const LEASE = 120;
/** So much of the oldest work is divided among its creators. */
const DIVIDED = 5_000;
/** Times what is claimed: others may be claiming some of it at this moment. */
const SPARE = 4;
/** Models read less than that: MiniLM about 1,200 characters. */
const DESCRIPTION_MAX_CHARACTERS = 4_000;

const CLAIM = `/* embeddings: claim */ with oldest as (
       select content_id, due_at from embedding_work
       where due_at <= statement_timestamp() and due_at > coalesce($3::timestamptz, '-infinity') and $1 = ${WORKED_FOR}
       order by due_at, content_id limit ${DIVIDED}
     ), turns as (
       select content_id, row_number() over (order by of_creator, due_at, content_id) as turn
       from (select *, row_number() over (partition by ${creatorOf('oldest')} order by due_at, content_id) as of_creator from oldest) t
     ), first as (
       select content_id, turn from turns order by turn limit ${SPARE} * $2
     ), due as (
       select w.content_id, first.turn from first join embedding_work w using (content_id)
       where w.content_id = ${anyOf('first')} and w.due_at <= clock_timestamp() order by first.turn limit $2 for update of w skip locked
     ), claimed as (
       update embedding_work w set due_at = clock_timestamp() + ${LEASE} * interval '1 second' from due
       where w.content_id = ${anyOf('due')} and w.content_id = due.content_id returning w.content_id, w.attempts, due.turn
     )
     select w.content_id, w.attempts, c.name, c.tags, left(c.description, ${DESCRIPTION_MAX_CHARACTERS}) as description,
       ${textHash('c')} as text_hash, e.text_hash is distinct from ${textHash('c')} as is_due
     from claimed w
     left join content c on c.content_id = w.content_id and c.deleted_at is null
     left join embedding e on e.content_id = w.content_id and e.generation = $1
     order by w.turn`;

/**
 * Takes the oldest work of each creator in turn, unless it is done for another model. That of deleted items, and of items
 * that have the vector already, is removed.
 * @param after the due time after which to begin, as in ClaimBound
 * @returns the items to embed; undefined if no work is due
 */
export async function claimWork(
  database: Database,
  generation: number,
  limit: number,
  after: string | null = null,
): Promise<Work[] | undefined> {
  const claimed = await claiming(database, (tx) => tx.query<Claimed>(CLAIM, [generation, limit, after]));
  if (claimed.length === 0) return undefined;
  const work = claimed.flatMap(toWork);
  const isOpen = new Set(work.map(({ contentId }) => contentId));
  await removeWork(
    database,
    generation,
    claimed.map(({ contentId }) => contentId).filter((contentId) => !isOpen.has(contentId)),
  );
  return work;
}

function toWork({ contentId, attempts, isDue, name, tags, description, textHash }: Claimed): Work[] {
  if (!isDue || name === null || textHash === null) return [];
  const text = [name, (tags ?? []).join(', '), description ?? ''].filter((part) => part !== '').join('\n');
  return [{ contentId, attempts, text, textHash }];
}

/** The claim may have overtaken an edit whose text it has not read: that work stays. */
async function removeWork(database: Database, generation: number, contentIds: number[]): Promise<void> {
  if (contentIds.length === 0) return;
  await database.write(
    `/* embeddings: remove work */ delete from embedding_work where content_id in (
       select w.content_id from embedding_work w
       left join content c on c.content_id = w.content_id and c.deleted_at is null
       left join embedding e on e.content_id = w.content_id and e.generation = $1
       where w.content_id = any($2::bigint[]) and w.due_at > clock_timestamp()
         and (c.content_id is null or e.text_hash = ${textHash('c')})
       order by w.content_id for update of w skip locked)`,
    [generation, contentIds],
  );
  await releaseWork(database, contentIds);
}

/** An edit since then has made the work due already. @param delayMs until the work is due again · @param attempts how many more are counted */
export async function releaseWork(database: Database, contentIds: number[], { delayMs = 0, attempts = 0 } = {}): Promise<void> {
  if (contentIds.length === 0) return;
  await database.write(
    `/* embeddings: release */ with open as (
       select content_id from embedding_work where content_id = any($1::bigint[]) order by content_id for update skip locked
     )
     update embedding_work w
     set due_at = clock_timestamp() + $2::integer * interval '1 millisecond', attempts = w.attempts + $3::integer
     where w.content_id = ${anyOf('open')} and w.due_at > clock_timestamp()`,
    [contentIds, delayMs, attempts],
  );
}
