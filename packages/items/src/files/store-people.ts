import { rowIsKept } from '@ugc/shared/contracts/hidden';
import { nextRevision, rowIsUnpublished } from '@ugc/shared/contracts/unpublished';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Tx } from '@ugc/shared/postgres/postgres';
import type { ErrorDetail } from '../problems/problem.ts';
import { blockedAmong } from '../people/blocked-users.ts';
import { ownContentId } from './external-id.ts';
import { erasedAmong, lockByCredential } from './find-creators.ts';
import type { BlockLine, PersonLine, RatingLine, UserLine } from './people-lines.ts';
import type { DryRun, FileSoFar, Outcome, StoreOptions } from './store-lines.ts';

type PeopleOptions = Pick<StoreOptions, 'prefix' | 'file' | 'dryRun'>;

/** Stores lines of one kind that differ. What is there already stays. @returns the outcome of each line, in their order */
export async function storePeople(tx: Tx, lines: PersonLine[], options: PeopleOptions): Promise<Outcome[]> {
  const users = lines.flatMap((line) => (line.kind === 'user' ? [line] : []));
  if (users.length > 0) return storeUsers(tx, users, options);
  const ratings = lines.flatMap((line) => (line.kind === 'rating' ? [line] : []));
  if (ratings.length > 0) return storeRatings(tx, ratings, options);
  return storeBlocks(tx, lines.flatMap((line) => (line.kind === 'block' ? [line] : []))); // prettier-ignore
}

async function storeUsers(tx: Tx, lines: UserLine[], { file, dryRun }: PeopleOptions): Promise<Outcome[]> {
  file.namesUsers = true;
  const credentials = lines.map(({ credential }) => credential);
  const gone = await erasedAmong(tx, credentials);
  const added = await tx.query<{ credential: string }>(
    `insert into users (username, credential, created_at)
     select * from unnest($1::text[], $2::text[], $3::timestamptz[]) u (username, credential, created_at)
     where credential <> all($4::text[]) order by credential collate "C" on conflict (credential collate "C") do nothing returning credential`,
    [lines.map(({ username }) => username), credentials, lines.map(({ createdAt }) => new Date(createdAt ?? Date.now())), [...gone]],
  );
  const created = new Set(added.map(({ credential }) => credential));
  return lines.map(({ credential, username }) => {
    if (gone.has(credential)) return { result: 'skipped' };
    dryRun?.usernames.set(credential, username);
    return { result: created.has(credential) ? 'created' : 'unchanged' };
  });
}

const NO_ITEM: ErrorDetail = { pointer: '#/rating/externalId', detail: 'is not that of an item: import the items before the ratings' };
const NO_USER: ErrorDetail = { pointer: '#/rating/credential', detail: 'is not that of a user: import the users before the ratings' };
const OWN_ITEM: ErrorDetail = { pointer: '#/rating/credential', detail: 'is that of the creator: only others may rate an item' };
const BLOCKED: ErrorDetail = { pointer: '#/rating/credential', detail: 'is that of a blocked user, who may not rate' };

type RatedItem = { contentId: number; creatorId: number | null };

async function storeRatings(tx: Tx, lines: RatingLine[], { prefix, file, dryRun }: PeopleOptions): Promise<Outcome[]> {
  const items = await lockItems(tx, lines, { prefix, file });
  const credentials = [...new Set(lines.map(({ credential }) => credential))];
  const users = await lockByCredential(tx, credentials);
  const found = { items, users, gone: await erasedAmong(tx, credentials), file, dryRun };
  const rules = { present: await presentRatings(tx, lines, found), blocked: await blockedAmong(tx, [...users.values()]) };
  const added: NewRating[] = [];
  const outcomes = lines.map((line): Outcome => {
    const rating = ratingOf(line, found);
    if (!('userId' in rating)) return rating;
    const outcome = outcomeOf(rating, rules);
    if (!outcome) added.push(rating);
    return outcome ?? { result: 'created' };
  });
  await addRatings(tx, added);
  return outcomes;
}

type Found = { items: Map<string, RatedItem>; users: Map<string, number>; gone: Set<string>; file: FileSoFar; dryRun: DryRun | undefined };

/** Whether the rating is by a user who was erased here, or of an item of such a user. */
function isOfErased({ externalId, credential }: RatingLine, { gone, file }: Found): boolean {
  return gone.has(credential) || file.skippedItems.has(externalId);
}

/** @returns the rating by ids, or the outcome without a present item or user */
function ratingOf(line: RatingLine, found: Found): NewRating | Outcome {
  const { items, users, dryRun } = found;
  const [item, userId] = [items.get(line.externalId), users.get(line.credential)];
  if (item?.creatorId === null || isOfErased(line, found)) return { result: 'skipped' };
  if (!item) return dryRun?.newItems.has(line.externalId) ? { result: 'created' } : { errors: [NO_ITEM] };
  if (userId !== undefined) return { contentId: item.contentId, creatorId: item.creatorId, userId, score: line.score };
  return dryRun?.usernames.has(line.credential) ? { result: 'created' } : { errors: [NO_USER] };
}

/** @returns undefined if the rating is to be stored */
function outcomeOf(
  { contentId, creatorId, userId }: NewRating,
  { present, blocked }: Record<'present', Set<string>> & { blocked: Set<number> },
) {
  if (present.has(`${contentId} ${userId}`)) return { result: 'unchanged' as const };
  if (blocked.has(userId)) return { errors: [BLOCKED] };
  return creatorId === userId ? { errors: [OWN_ITEM] } : undefined;
}

type NewRating = { contentId: number; creatorId: number; userId: number; score: number };

/** Locks the items before the users, as a rating by its user does. `creatorId` is null if the item was removed. */
async function lockItems(tx: Tx, lines: RatingLine[], options: Pick<StoreOptions, 'prefix' | 'file'>): Promise<Map<string, RatedItem>> {
  const ids = await contentIdsOf(tx, lines, options);
  const kept = await tx.query<{ contentId: number; creatorId: number }>(
    `select content_id, creator_id from content where content_id = any($1::bigint[]) and ${rowIsKept('content')}
     order by content_id for no key update`,
    [[...ids.values()]],
  );
  const creators = new Map(kept.map(({ contentId, creatorId }) => [contentId, creatorId]));
  return new Map([...ids].map(([externalId, contentId]) => [externalId, { contentId, creatorId: creators.get(contentId) ?? null }]));
}

/** @returns the ids of items that are or were here, by external id: the rules are those of `findKnownItems` */
async function contentIdsOf(tx: Tx, lines: RatingLine[], { prefix, file }: Pick<StoreOptions, 'prefix' | 'file'>) {
  const externalIds = [...new Set(lines.map(({ externalId }) => externalId))];
  const rows = await tx.query<{ externalId: string; contentId: number }>(
    'select external_id, content_id from external_item where external_id = any($1::text[])',
    [externalIds],
  );
  const ids = new Map(rows.map(({ externalId, contentId }) => [externalId, contentId]));
  for (const externalId of externalIds) {
    const own = ids.has(externalId) ? undefined : ownContentId(externalId, prefix);
    if (own !== undefined && file.ownItems.has(own)) ids.set(externalId, own);
  }
  return ids;
}

/** @returns the ratings that are there already, as `contentId userId` */
async function presentRatings(tx: Tx, lines: RatingLine[], { items, users }: Pick<Found, 'items' | 'users'>): Promise<Set<string>> {
  const pairs = lines.flatMap(({ externalId, credential }) => {
    const [item, userId] = [items.get(externalId), users.get(credential)];
    return item && userId !== undefined ? [{ contentId: item.contentId, userId }] : [];
  });
  const rows = await tx.query<{ contentId: number; userId: number }>(
    `select content_id, user_id from rating join unnest($1::bigint[], $2::bigint[]) p (content_id, user_id) using (content_id, user_id)`,
    [pairs.map(({ contentId }) => contentId), pairs.map(({ userId }) => userId)],
  );
  return new Set(rows.map(({ contentId, userId }) => `${contentId} ${userId}`));
}

/** The ratings of the lines of items do not contain these. */
async function addRatings(tx: Tx, ratings: NewRating[]): Promise<void> {
  if (ratings.length === 0) return;
  const changed = await tx.query<ItemRevision & { isUnpublished: boolean }>(
    `with added as (
       insert into rating (content_id, user_id, score) select * from unnest($1::bigint[], $2::bigint[], $3::smallint[])
       on conflict do nothing returning content_id, score
     ), totals as (select content_id, count(*) as count, sum(score) as sum from added group by content_id)
     update content c set rating_sum = rating_sum + t.sum, rating_count = rating_count + t.count, revision = ${nextRevision('c')}
     from totals t where c.content_id = t.content_id returning c.content_id, c.revision, ${rowIsUnpublished('c')} as is_unpublished`,
    [ratings.map(({ contentId }) => contentId), ratings.map(({ userId }) => userId), ratings.map(({ score }) => score)],
  );
  // The index has nothing of an unpublished item.
  await markPending(
    tx,
    changed.filter(({ isUnpublished }) => !isUnpublished),
  );
}

/** A block that is there stays as it is. */
async function storeBlocks(tx: Tx, lines: BlockLine[]): Promise<Outcome[]> {
  const users = await lockByCredential(tx, [...new Set(lines.flatMap(({ credential }) => credential ?? []))]);
  const added = await tx.query<{ credentialHash: string }>(
    `insert into blocked_user (credential_hash, user_id, blocked_at, reason)
     select decode(hash, 'hex'), user_id, blocked_at, reason from unnest($1::text[], $2::bigint[], $3::timestamptz[], $4::text[])
       b (hash, user_id, blocked_at, reason) order by hash
     on conflict (credential_hash) do nothing returning encode(credential_hash, 'hex') as credential_hash`,
    [
      lines.map(({ credentialHash }) => credentialHash),
      lines.map(({ credential }) => (credential === undefined ? null : (users.get(credential) ?? null))),
      lines.map(({ since }) => new Date(since ?? Date.now())),
      lines.map(({ reason }) => reason ?? null),
    ],
  );
  const created = new Set(added.map(({ credentialHash }) => credentialHash));
  return lines.map(({ credentialHash }) => ({ result: created.has(credentialHash) ? 'created' : 'unchanged' }));
}
