import { BULK_PENDING_LIMIT, countPendingUpTo } from '@ugc/shared/outbox/backlog';
import { SHARE_OF_CREATOR } from '@ugc/shared/outbox/claim';
import type { Database } from '@ugc/shared/postgres/postgres';

/** Of `unpublished_content p`: the condition of its partial indices on the time. */
const IS_SCHEDULED = `p.publish_at is not null and p.kind <> 'review'`;
/** Of `unpublished_content p`. The clock is that of PostgreSQL. */
export const IS_DUE = `p.publish_at <= statement_timestamp() and p.kind <> 'review'`;

/** Creators with scheduled items are looked at in the order of their ids, this many for a batch. */
const CREATORS_MAX = 5_000;

/** How often creators with more than a share of due items get one while many changes are pending. */
const TURN_EVERY_MS = 10_000;

type DueItem = { contentId: number; creatorId: number };
type Creator = { creatorId: number; isDue: boolean };

/**
 * The items whose time has come, a batch at a time: those that have been due for longest. If one creator has more than a share
 * of them, the shares of all creators with due items come before the rest, in turns. While many changes are pending there is
 * no rest, and who has more than a share waits: others' changes would wait behind all of it.
 */
export class DueItems {
  readonly #database: Pick<Database, 'query'>;
  readonly #batch: number;
  /** The last creator who had a turn. */
  #after = 0;
  #nextTurnMs = -Infinity;

  constructor(database: Pick<Database, 'query'>, batch: number) {
    this.#database = database;
    this.#batch = batch;
  }

  /** @returns the ids of the items; fewer than a batch if no more are to be published now */
  async next(): Promise<number[]> {
    const oldest = await this.#database.query<DueItem>({
      name: 'list-due-items',
      text: `select p.content_id, p.creator_id from unpublished_content p where ${IS_DUE} order by p.publish_at limit ${this.#batch}`,
    });
    if (!hasExceeding(oldest)) return oldest.map(({ contentId }) => contentId);
    const isBusy = (await countPendingUpTo(this.#database, BULK_PENDING_LIMIT)) >= BULK_PENDING_LIMIT;
    const isTurn = !isBusy || performance.now() >= this.#nextTurnMs;
    if (isTurn) this.#nextTurnMs = performance.now() + TURN_EVERY_MS;
    const shares = await this.#shares(isTurn);
    const contentIds = [...shares, ...(isBusy ? [] : oldest)].map(({ contentId }) => contentId);
    return [...new Set(contentIds)].slice(0, this.#batch);
  }

  /** @param ofAll also of creators with more than a share */
  async #shares(ofAll: boolean): Promise<DueItem[]> {
    const creators = await this.#database.query<Creator>(NEXT_CREATORS, [this.#after]);
    const due = creators.filter(({ isDue }) => isDue).map(({ creatorId }) => creatorId);
    const asked = due.slice(0, this.#batch);
    const shares = await this.#database.query<DueItem>(SHARES, [asked, this.#batch, ofAll]);
    if (shares.length === this.#batch) this.#after = shares.at(-1)?.creatorId ?? 0;
    else if (due.length > asked.length) this.#after = asked.at(-1) ?? 0;
    else this.#after = creators.length === CREATORS_MAX ? (creators.at(-1)?.creatorId ?? 0) : 0;
    return shares;
  }
}

function hasExceeding(items: DueItem[]): boolean {
  const shares = Map.groupBy(items, ({ creatorId }) => creatorId);
  return [...shares.values()].some(({ length }) => length > SHARE_OF_CREATOR);
}

/** One entry of the index for each creator, whose first item is due before all others of the creator. */
const NEXT_CREATORS = `with recursive creators as (
    (select p.creator_id, p.publish_at from unpublished_content p where ${IS_SCHEDULED} and p.creator_id > $1
       order by p.creator_id, p.publish_at limit 1)
    union all
    select next.creator_id, next.publish_at from creators c cross join lateral (
      select p.creator_id, p.publish_at from unpublished_content p where ${IS_SCHEDULED} and p.creator_id > c.creator_id
      order by p.creator_id, p.publish_at limit 1
    ) next
  )
  select creator_id, publish_at <= statement_timestamp() as is_due from creators limit ${CREATORS_MAX}`;

const SHARES = `select due.content_id, creator_id from unnest($1::bigint[]) with ordinality c (creator_id, n) cross join lateral (
    select p.content_id from unpublished_content p where p.creator_id = c.creator_id and ${IS_DUE}
    order by p.publish_at limit ${SHARE_OF_CREATOR}
  ) due
  where $3 or not exists (
    select from unpublished_content p where p.creator_id = c.creator_id and ${IS_DUE} order by p.publish_at offset ${SHARE_OF_CREATOR}
  ) order by n limit $2`;
