import { expect } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { png } from '../database/images.ts';
import type { Client } from '../http/client.ts';
import { expectProblem } from '../http/problems.ts';
import { tokenOf } from '../http/tokens.ts';
import { until } from '../jest/until.ts';
import { failureOf, type Result } from '../processes/command.ts';

/** Runs a command of the API of one release, such as `users`. */
type Command = (name: string, ...args: string[]) => Promise<Result>;

export type EveryKind = {
  /** The index has tombstones of these items at most. */
  gone: number[];
  /** Expects that the release of this API and of these commands has all of it, as the one that stored it. */
  expectKept(client: Client, command: Command): Promise<void>;
};

/** In the names of all that is stored here. */
const WORD = 'heirloom';
const CREATOR = 2;
const PICTURE = png({ width: 8, height: 8 });
const ITEM = { name: WORD, tags: ['kept'], fileName: 'heirloom.json', thumbnail: PICTURE.toString('base64') };
const IMPORTED = {
  externalId: 'mods/81',
  creatorId: CREATOR,
  name: `${WORD} of a file`,
  description: '',
  version: 3,
  data: '{}',
  createdAt: '2019-04-01T10:00:00Z',
  downloadsCount: 5_120,
  ratings: { count: 12, sum: 51 },
};

/**
 * Stores data of each kind that an upgrade must keep: an item with a picture, a rating and a download, an import with an
 * external id, an item that a moderator has hidden, those of a blocked user, and an erased user.
 */
export async function storeEveryKind(client: Client, command: Command, folder: string): Promise<EveryKind> {
  const run = async (name: string, ...args: string[]): Promise<Record<string, unknown>> => {
    const result = await command(name, ...args);
    expect({ name, args, failure: failureOf(result) }).toEqual({ name, args, failure: '' });
    return (result.json[0] ?? {}) as Record<string, unknown>;
  };
  const addUser = async (name: string): Promise<number> => Number((await run('users', 'add', name, '--json'))['userId']);
  const item = await client.upload(ITEM, CREATOR);
  expect((await client.send('PUT', `/api/content/${item}/rating`, { score: 4 }, 1)).status).toBe(204);
  expect((await client.send('POST', `/api/content/${item}/downloads`, undefined, 1)).status).toBe(204);
  const [file, ids] = [join(folder, 'import.ndjson'), join(folder, 'ids.ndjson')];
  await writeFile(file, `${JSON.stringify(IMPORTED)}\n`);
  expect(await run('import', file, '--ids', ids, '--json')).toMatchObject({ created: 1 });
  const { contentId: imported } = JSON.parse(await readFile(ids, 'utf8')) as { contentId: number };
  const hidden = await client.upload({ name: `${WORD} that is hidden` }, CREATOR);
  const moderator = { sub: '1', scope: 'content:moderate' };
  expect((await client.send('PUT', `/api/content/${hidden}/hidden`, { reason: 'copied' }, moderator)).status).toBe(204);
  const [blocked, erased] = [await addUser('Blocked'), await addUser('Erased')];
  const ofBlocked = await client.upload({ name: `${WORD} of a blocked user` }, blocked);
  const ofErased = await client.upload({ name: `${WORD} of an erased user` }, erased);
  await run('users', 'block', String(blocked), '--hide', '--reason', 'spam');
  await run('users', 'erase', String(erased));
  const before = await readItem(client, item);

  const expectKept = async (by: Client, commandOf: Command): Promise<void> => {
    expect(await readItem(by, item)).toMatchObject(before);
    const list = async () => (await by.list({ prompt: WORD, sort: 'contentId,asc' })).body.content;
    // Lists show a rating and a download some seconds later.
    await until('a list shows the rating and the download', async () => {
      const [shown] = await list();
      return shown?.avgRating === 4 && shown.downloadsCount === 1;
    });
    expect(await list()).toMatchObject([
      { contentId: item, avgRating: 4, downloadsCount: 1 },
      { contentId: imported, avgRating: 51 / 12, downloadsCount: 5_120, version: 3 },
    ]);
    expect((await by.get(`/api/content/${hidden}`, CREATOR)).body.hidden).toMatchObject({ reason: 'copied' });
    expectProblem(await by.get(`/api/content/${hidden}`), 404, 'item-unknown');
    expectProblem(await by.tryUpload({}, blocked), 403, 'user-blocked');
    expectProblem(await by.tryUpload({}, erased), 403, 'user-unknown');
    const [counts] = (await commandOf('import', file, '--json')).json;
    expect(counts).toMatchObject({ created: 0, changed: 0, unchanged: 1, rejected: 0 });
    const [receipt] = (await commandOf('users', 'receipts', String(erased), '--json')).json;
    expect(receipt).toMatchObject({ userId: erased, removed: { items: 1 } });
  };
  return { gone: [hidden, ofBlocked, ofErased], expectKept };
}

/** All that a release responds, but for the name of the creator, which an operator may change, and the picture. */
async function readItem(client: Client, id: number): Promise<object> {
  const { body } = await client.get(`/api/content/${id}?include=tags&include=fileName&include=thumbnail&include=ratingCount`);
  const authorization = `Bearer ${await tokenOf(1)}`;
  const picture = await fetch(`${client.baseUrl}/api/content/${id}/thumbnail`, { headers: { authorization } });
  return { ...(body as object), creatorName: '', picture: Buffer.from(await picture.arrayBuffer()).toString('base64') };
}
