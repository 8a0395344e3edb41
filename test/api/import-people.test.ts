import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportFile } from '@ugc/items/files/export-items';
import { blockUser, unblockUser } from '@ugc/items/people/block-user';
import { eraseUser } from '@ugc/items/people/erase-user';
import { linkUser } from '@ugc/items/people/link-user';
import type { Query } from '@ugc/shared/postgres/postgres';
import { storeContent } from '../support/database/stored-content.ts';
import { apiCommand, failureOf } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { createImports, lineWith, NONE, rejectedIn } from '../support/processes/imports.ts';
import { openStores, type Stores } from '../support/processes/service.ts';

// A move to another database with the people: users without items, who has rated what, and blocks.

type Line = { externalId?: string; contentId?: number; hidden?: object; ratings?: object; user?: object; rating?: object; block?: object };

let [env, otherEnv]: Environment[] = [];
let [stores, others]: Stores[] = [];
let importOf: Awaited<ReturnType<typeof createImports>>['importOf'];
const users: Record<string, number> = {};
beforeAll(async () => {
  [env, otherEnv] = [await createEnvironment(), await createEnvironment()];
  [stores, others] = [openStores(env), openStores(otherEnv)];
  ({ importOf } = await createImports());
  // The databases of the tests are copies of one, with its id.
  await others.database.query('update index_control set database_id = gen_random_uuid()');
  for (const each of [stores, others]) await each.database.query('truncate users cascade');
  const { database } = stores;
  for (const name of ['creator', 'rater', 'reader', 'blocked', 'linked', 'erased']) {
    const [user] = await database.query<{ userId: number }>(`insert into users (username, credential, created_at) values ($1, 'people|' || $1, '2020-01-01') returning user_id`, [name]); // prettier-ignore
    users[name] = user?.userId ?? NaN;
  }
  const { creator, rater, blocked, linked, erased } = users;
  const ids = await storeContent(database, [
    { creatorId: creator!, name: 'rated', ratings: [5, 4, 1] },
    { creatorId: creator!, name: 'hidden', ratings: [2] },
    { creatorId: blocked!, name: 'of a blocked user' },
    { creatorId: creator!, name: 'rated elsewhere', ratings: [3] },
    { creatorId: creator!, name: 'deleted', ratings: [3] },
  ]);
  // The third rating of the first item, and that of the fourth, are of an earlier site.
  await database.query(`insert into rating select * from unnest($1::bigint[], $2::bigint[], '{5,4,2,3}'::smallint[])`, [
    [ids[0], ids[0], ids[1], ids[4]],
    [rater, blocked, rater, rater],
  ]);
  await database.query(`update content set deleted_at = now() where name = 'deleted'`);
  await blockUser(database, blocked!, 'spam');
  await blockUser(database, linked!, undefined);
  await linkUser(database, linked!, 'people|new account');
  await blockUser(database, erased!, undefined);
  await eraseUser(database, erased!);
  const hide = `with hidden as (update content set deleted_at = 'infinity' where name in ('hidden', 'of a blocked user') returning content_id, creator_id, name)
    insert into hidden_content (content_id, creator_id, reason, hidden_at, by_block)
    select content_id, creator_id, 'x', '2020-02-03', name <> 'hidden' from hidden`;
  await database.query(hide);
});
afterAll(() => Promise.all([stores?.close(), others?.close()]));

const exported = async (from: Environment | undefined, ...args: string[]): Promise<Line[]> => {
  const result = await apiCommand(from ?? {}, 'export', ...args);
  expect(failureOf(result)).toBe('');
  return result.json as Line[];
};
/** The lines without what differs between databases: ids, and the order of users. */
const comparable = (lines: Line[]) => lines.slice(1).map(({ contentId: _, ...line }) => JSON.stringify(line)).toSorted(); // prettier-ignore

describe('export --people', () => {
  it('has all users, the ratings by credential and the blocks by hash, and no sum has a rating twice', async () => {
    const lines = (await exported(env, '--people')).slice(1, -1);
    expect(lines.flatMap(({ user }) => user ?? [])).toEqual(
      ['creator', 'rater', 'reader', 'blocked', 'new account'].map((name) => ({
        credential: `people|${name}`,
        username: name === 'new account' ? 'linked' : name,
        createdAt: '2020-01-01T00:00:00.000+00:00',
      })).toSorted((one, other) => (one.username === 'linked' ? 1 : other.username === 'linked' ? -1 : 0)), // prettier-ignore
    );
    expect(lines.flatMap(({ ratings }) => ratings ?? [])).toEqual([{ count: 1, sum: 1 }, { count: 0, sum: 0 }, { count: 0, sum: 0 }, { count: 1, sum: 3 }]); // prettier-ignore
    expect(lines.flatMap(({ rating }) => rating ?? [])).toEqual([
      { externalId: expect.stringMatching(/^ugc:/), credential: 'people|rater', score: 5 },
      { externalId: expect.stringMatching(/^ugc:/), credential: 'people|blocked', score: 4 },
      { externalId: expect.stringMatching(/^ugc:/), credential: 'people|rater', score: 2 },
    ]);
    expect(lines.flatMap(({ block }) => block ?? [])).toHaveLength(4);
    expect(lines.flatMap(({ hidden }) => hidden ?? [])).toEqual([expect.not.objectContaining({ byBlock: true }), expect.objectContaining({ byBlock: true })]); // prettier-ignore
    // Without the option, an export names nobody but the creators.
    expect(JSON.stringify(await exported(env))).not.toMatch(/people\|rater|"block"|"rating"/);
  });

  it('of a service in use has no rating by a user, or of an item, that came after its line would', async () => {
    const { database } = stores!;
    let late: number[] = [];
    const arrive = async (): Promise<void> => {
      const insert = `insert into users (username, credential) values ('late', 'people|late') returning user_id`;
      const [user] = await database.query<{ userId: number }>(insert);
      late = await storeContent(database, [{ creatorId: users['creator'] ?? NaN, name: 'late' }]);
      const [rated] = await database.query<{ contentId: number }>(`select content_id from content where name = 'rated'`);
      const ratings = `insert into rating select * from unnest($1::bigint[], $2::bigint[], '{5,5,5}'::smallint[])`;
      await database.query(ratings, [[rated?.contentId, late[0], late[0]], [user?.userId, user?.userId, users['rater']]]); // prettier-ignore
    };
    const query: Query = async (statement, parameters) => {
      if (late.length === 0 && String(statement).includes('from rating r')) await arrive();
      return database.query(statement, parameters);
    };
    const before = await exported(env, '--people');
    const lines: object[] = [];
    for await (const line of exportFile({ ...database, query }, { hasThumbnails: false, hasPeople: true })) lines.push(line);
    expect(late).toHaveLength(1);
    expect(lines.slice(1)).toEqual(before.slice(1));
    await database.query(
      `delete from rating where content_id = $1 or user_id in (select user_id from users where username = 'late')`,
      late,
    );
    await database.query(`update content set deleted_at = now() where name = 'late'`);
    await database.query(`delete from users where username = 'late'`);
  });

  it('is refused for a part of the items', async () => {
    for (const args of [['--tag', 'x'], ['--updated-from', '2020-01-01']])
      expect(await apiCommand(env ?? {}, 'export', '--people', ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining('--people is for an export of all items') }); // prettier-ignore
  });

  it('gives the same in another database, of which a dry run tells the number of lines, and nothing when it is imported again', async () => {
    const lines = await exported(env, '--people');
    const count = lines.length - 2;
    expect((await importOf(otherEnv ?? {}, lines, '--dry-run')).json).toEqual([{ ...NONE, created: count }]);
    expect(await exported(otherEnv, '--people')).toHaveLength(2);
    const imported = await importOf(otherEnv ?? {}, lines);
    expect({ ...imported, file: '' }).toMatchObject({ code: 0, json: [{ ...NONE, created: count }] });
    expect(comparable(await exported(otherEnv, '--people'))).toEqual(comparable(lines));
    expect(comparable(await exported(otherEnv))).toEqual(comparable(await exported(env)));
    expect((await importOf(otherEnv ?? {}, lines)).json).toEqual([{ ...NONE, unchanged: count }]);
    expect(comparable(await exported(otherEnv, '--people'))).toEqual(comparable(lines));
  });

  it('changes nothing of the database that it is of, and skips the ratings of items that were removed or lost', async () => {
    const lines = await exported(env, '--people');
    const { database } = stores!;
    // The item of the blocked user: a line of it changes nothing.
    const rejected = 1;
    for (const args of [['--dry-run'], []])
      expect((await importOf(env ?? {}, lines, ...args)).json).toMatchObject([{ created: 0, changed: 0, skipped: 0, rejected }]);
    await database.query(`delete from external_item where content_id = (select content_id from content where name = 'hidden')`);
    await database.query(`update content set deleted_at = now() where name = 'hidden'`);
    const [item] = lines.filter(({ externalId }) => externalId !== undefined);
    const lost = (item?.externalId ?? '').replace(/\d+$/, '99999999');
    const ofLost = { rating: { externalId: lost, credential: 'people|rater', score: 5 } };
    const withLost = [...lines.slice(1, -1), { ...item, externalId: lost, contentId: undefined }, ofLost];
    for (const args of [['--dry-run'], []])
      expect((await importOf(env ?? {}, withLost, ...args)).json).toMatchObject([{ created: 0, changed: 0, skipped: 4, rejected }]);
    // Nothing tells which item has the id now.
    expect((await importOf(env ?? {}, [ofLost])).json).toEqual([{ ...NONE, rejected: 1 }]);
  });

  it('restores a block that ends for all accounts of the user', async () => {
    const { database } = others!;
    const [linked] = await database.query<{ userId: number }>(`select user_id from users where credential = 'people|new account'`);
    await unblockUser(database, linked?.userId ?? NaN);
    const rows = await database.query<{ reason: string | null }>('select reason from blocked_user order by reason');
    expect(rows).toEqual([{ reason: 'spam' }, { reason: null }]);
  });
});

describe('a line of people', () => {
  const user = (name: string) => ({ user: { credential: `line|${name}`, username: name } });
  const rating = (externalId: string, name: string, score = 4) => ({ rating: { externalId, credential: `line|${name}`, score } });
  const item = {
    ...lineWith({ externalId: 'line/1' }),
    creatorId: undefined,
    creator: { credential: 'line|creator', username: 'creator' },
  };
  const totals = async () =>
    (await stores!.database.query(`select rating_count as count, rating_sum as sum from content join external_item using (content_id) where external_id = 'line/1'`))[0]; // prettier-ignore

  it('of a rating adds to the sum like the rating of a user, once, and marks the item pending', async () => {
    await importOf(env ?? {}, [item, user('one'), user('two')]);
    await stores!.database.query('delete from index_outbox');
    const lines = [rating('line/1', 'one', 5), rating('line/1', 'two', 2)];
    expect((await importOf(env ?? {}, lines)).json).toEqual([{ ...NONE, created: 2 }]);
    expect(await totals()).toEqual({ count: 2, sum: 7 });
    expect(await stores!.database.query('select from index_outbox')).toHaveLength(1);
    // What the user has rated here since stays.
    expect((await importOf(env ?? {}, [rating('line/1', 'one', 1)])).json).toEqual([{ ...NONE, unchanged: 1 }]);
    expect(await totals()).toEqual({ count: 2, sum: 7 });
  });

  it('of a rating of an item that never was public changes nothing for the index', async () => {
    await importOf(env ?? {}, [{ ...item, externalId: 'line/unlisted', visibility: 'unlisted' }, user('fan')]);
    await stores!.database.query('delete from index_outbox');
    expect((await importOf(env ?? {}, [rating('line/unlisted', 'fan', 5)])).json).toEqual([{ ...NONE, created: 1 }]);
    const stored = `select rating_sum, revision from content join external_item using (content_id) where external_id = 'line/unlisted'`;
    expect(await stores!.database.query(stored)).toEqual([{ ratingSum: 5, revision: 1 }]);
    expect(await stores!.database.query('select from index_outbox')).toEqual([]);
  });

  it('is rejected where it is wrong, or where a user could not rate, and says why', async () => {
    await importOf(env ?? {}, [user('blocked')]);
    const [{ userId = NaN } = {}] = await stores!.database.query<{ userId: number }>(
      `select user_id from users where credential = 'line|blocked'`,
    );
    await blockUser(stores!.database, userId, undefined);
    const wrong: [object, string, string][] = [
      [rating('line/none', 'one'), '#/rating/externalId', 'is not that of an item'],
      [rating('line/1', 'nobody'), '#/rating/credential', 'is not that of a user'],
      [rating('line/1', 'creator'), '#/rating/credential', 'only others may rate an item'],
      [rating('line/1', 'blocked'), '#/rating/credential', 'is that of a blocked user'],
      [rating('line/1', 'one', 6), '#/rating/score', 'must be an integer from 1 to 5'],
      [{ rating: { contentId: 1, score: 4 } }, '#/rating/externalId', 'is required'],
      [{ user: { credential: 'ugc:erased', username: 'x' } }, '#/user/credential', 'must not begin with ugc:'],
      [{ user: { credential: 'line|x' } }, '#/user/username', 'is required'],
      [{ block: { credentialHash: 'abc' } }, '#/block/credentialHash', 'must be a SHA-256'],
    ];
    const { json, file } = await importOf(env ?? {}, wrong.map(([line]) => line)); // prettier-ignore
    expect(json).toEqual([{ ...NONE, rejected: wrong.length }]);
    const found = (await rejectedIn(file)).toSorted((one, other) => one.line - other.line).map(({ errors: [error] }) => error);
    expect(found).toMatchObject(wrong.map(([, pointer, detail]) => ({ pointer, detail: expect.stringContaining(detail) })));
  });

  const idOf = async (name: string): Promise<number> => {
    const [row] = await stores!.database.query<{ userId: number }>('select user_id from users where credential = $1', [`line|${name}`]);
    return row?.userId ?? NaN;
  };
  const erase = async (name: string): Promise<void> => {
    await eraseUser(stores!.database, await idOf(name));
    // As the command leaves it when it has ended.
    await stores!.database.query(
      `with ended as (delete from user_erasure returning user_id, credential_hash)
       insert into erasure_receipt select user_id, now(), json_build_object('credentialSha256', encode(credential_hash, 'hex')) from ended`,
    );
  };

  it('continues without a user who was erased since, the items of this user and what others have rated of them', async () => {
    const of = (externalId: string) => ({ ...item, externalId, creator: { credential: 'line|leaver', username: 'leaver' } });
    const begun = [user('stayer'), user('leaver'), of('leaver/1')];
    const lines = [...begun, of('leaver/2'), rating('leaver/1', 'stayer'), rating('leaver/2', 'stayer'), rating('line/1', 'leaver')];
    expect((await importOf(env ?? {}, begun)).json).toEqual([{ ...NONE, created: 3 }]);
    await erase('leaver');
    for (const args of [['--dry-run'], []])
      expect((await importOf(env ?? {}, lines, ...args)).json).toEqual([{ ...NONE, unchanged: 1, skipped: 6 }]);
    expect(await idOf('leaver')).toBeNaN();
    // A file that names no users says of each item who the creator is.
    expect((await importOf(env ?? {}, [of('leaver/2')])).json).toEqual([{ ...NONE, created: 1 }]);
    expect(await idOf('leaver')).not.toBeNaN();
  });

  it('brings nobody back whom an operator has erased, as far as a receipt or a block tells, and no rating of a removed item', async () => {
    await importOf(env ?? {}, [user('gone'), user('receipt'), { ...item, externalId: 'line/2' }]);
    await blockUser(stores!.database, await idOf('gone'), undefined);
    for (const name of ['gone', 'receipt']) await erase(name);
    await importOf(env ?? {}, [{ externalId: 'line/2', deleted: true }]);
    const lines = [user('gone'), user('receipt'), rating('line/1', 'gone'), rating('line/1', 'receipt'), rating('line/2', 'one')];
    for (const args of [['--dry-run'], []]) expect((await importOf(env ?? {}, lines, ...args)).json).toEqual([{ ...NONE, skipped: 5 }]);
    expect(await stores!.database.query(`select from users where credential in ('line|gone', 'line|receipt')`)).toEqual([]);
  });
});
