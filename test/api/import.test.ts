import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readDeclaredFields } from '@ugc/shared/fields/declared-fields';
import { storeDefinitions } from '@ugc/shared/fields/store-definitions';
import { loadDemo } from '@ugc/api/commands/load-demo';
import { blockUser, showItemsOf, unblockUser } from '@ugc/items/people/block-user';
import { eraseUser } from '@ugc/items/people/erase-user';
import { linkUser } from '@ugc/items/people/link-user';
import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { apiCommand, failureOf, startApiCommand } from '../support/processes/command.ts';
import { createEnvironment, USERS, type Environment } from '../support/processes/environment.ts';
import { createImports, itemsOf, NONE, rejectedIn, type LineText } from '../support/processes/imports.ts';
import { openStores, startService, type Service, type Stores } from '../support/processes/service.ts';
import { countContent, storeContent } from '../support/database/stored-content.ts';
import { until } from '../support/jest/until.ts';
import { png } from '../support/database/images.ts';

const LINE = {
  externalId: 'mods/81',
  creator: { credential: 'https://login.example.com|81', username: 'pixel_otter' },
  name: 'Lighthouse at dusk',
  description: 'A pixel-art wallpaper',
  version: 3,
  data: '{"width":320}',
  tags: ['pixel art', 'wallpaper'],
  createdAt: '2019-04-01T10:00:00Z',
  updatedAt: '2019-05-02T10:00:00Z',
  downloadsCount: 5_120,
  ratings: { count: 12, sum: 51 },
};
const lineWith = (fields: object): object => ({ ...LINE, creator: undefined, creatorId: USERS.ada, ...fields });

let folder: string;
let importOf: Awaited<ReturnType<typeof createImports>>['importOf'];
beforeAll(async () => {
  ({ folder, importOf } = await createImports());
});

describe('npx pnpm import', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const run = (lines: LineText[], ...args: string[]) => importOf(service.env, lines, ...args);
  const itemOf = async (name: string) => {
    await service.indexed();
    const { content } = (await service.client.list({ prompt: `"${name}"`, include: 'tags' })).body;
    return content[0];
  };

  it('stores an item with its dates and counts, whose creator it adds, and finds it', async () => {
    const ids = join(folder, 'ids.ndjson');
    const { json, stderr } = await run([LINE], '--ids', ids);
    expect({ json, stderr }).toEqual({ json: [{ ...NONE, created: 1 }], stderr: expect.any(String) });
    const item = await itemOf(LINE.name);
    expect(item).toMatchObject({
      creatorName: 'pixel_otter',
      name: LINE.name,
      description: LINE.description,
      version: 3,
      data: LINE.data,
      tags: LINE.tags,
      createdAt: '2019-04-01T10:00:00.000+00:00',
      updatedAt: '2019-05-02T10:00:00.000+00:00',
      downloadsCount: 5_120,
      latestDownloadsCount: 0,
      avgRating: 4.25,
    });
    expect(JSON.parse(await readFile(ids, 'utf8'))).toEqual({ externalId: 'mods/81', contentId: item?.contentId });
  });

  it('changes nothing by the same line, and by a changed one what it has', async () => {
    const first = lineWith({ externalId: 'again', name: 'imported again', thumbnail: png().toString('base64') });
    await run([first]);
    const { contentId = NaN } = (await itemOf('imported again')) ?? {};
    await service.client.send('PATCH', `/api/content/${contentId}`, { description: 'edited here' });
    expect((await run([first])).json).toEqual([{ ...NONE, unchanged: 1 }]);
    const { body: before } = await service.client.get(`/api/content/${contentId}?include=tags`);
    expect(before.description).toBe('edited here');

    const changed = { externalId: 'again', name: 'imported once more', tags: null, thumbnail: null, updatedAt: '2026-01-01', downloadsCount: 9, createdAt: '2000-01-01', creatorId: USERS.boris }; // prettier-ignore
    const ignoredFields = { createdAt: 1, creatorId: 1, downloadsCount: 1 };
    expect((await run([changed])).json).toEqual([{ ...NONE, changed: 1, ignoredFields }]);
    const { body: after } = await service.client.get(`/api/content/${contentId}?include=tags`);
    expect(after).toEqual({ ...before, name: 'imported once more', tags: [], updatedAt: '2026-01-01T00:00:00.000+00:00' });
    expect((await service.client.get(`/api/content/${contentId}/thumbnail`)).status).toBe(404);
    expect(await itemOf('imported once more')).toMatchObject({ contentId });
    const unknownFields = [{ field: 'unknown', lines: 1 }];
    expect((await run([{ ...changed, unknown: 1 }])).json).toEqual([{ ...NONE, ignored: 1, ignoredFields, unknownFields }]);
  });

  describe('news that only a new item takes', () => {
    const first = {
      externalId: 'news',
      creator: { credential: 'news|1', username: 'News' },
      name: 'newsworthy',
      description: '',
      data: '',
      version: 1,
      createdAt: '2019-04-01',
      downloadsCount: 10,
      latestDownloadsCount: 5,
      ratings: { count: 2, sum: 8 },
    };
    const counters = { downloadsCount: 20, latestDownloadsCount: 15, ratings: { count: 3, sum: 12 } };
    const contentId = async () => (await itemOf('newsworthy'))?.contentId ?? NaN;

    it.each<[string, object, string]>([
      ['downloads', { downloadsCount: 11 }, 'downloadsCount'],
      ['downloads of the version', { downloadsCount: 10, latestDownloadsCount: 6 }, 'latestDownloadsCount'],
      ['ratings', { ratings: { count: 2, sum: 9 } }, 'ratings'],
      ['the creation', { createdAt: '2018-04-01' }, 'createdAt'],
      ['the creator', { creator: { credential: 'news|2', username: 'Other' } }, 'creator'],
      ['the id of the creator', { creator: undefined, creatorId: USERS.ada }, 'creatorId'],
      ['the name of the creator', { creator: { credential: 'news|1', username: 'Renamed' } }, 'creator.username'],
      ['that it is hidden', { hidden: { reason: 'spam' } }, 'hidden'],
    ])('is said to be ignored, and so is the line if it says nothing else, which --dry-run tells: %s', async (_, news, field) => {
      await run([first]);
      for (const args of [['--dry-run'], []]) {
        const { code, json, stderr } = await run([{ ...first, ...news }], ...args);
        expect({ code, json }).toEqual({ code: 0, json: [{ ...NONE, ignored: 1, ignoredFields: { [field]: 1 } }] });
        expect(stderr).toContain(`- ${field} in 1 line`);
      }
      // The same line again is no news.
      expect((await run([{ ...first, ...news }])).json).toEqual([{ ...NONE, unchanged: 1 }]);
      expect((await run([{ ...first, description: `edited for ${field}`, ...news }])).json).toEqual([
        { ...NONE, changed: 1, ignoredFields: { [field]: 1 } },
      ]);
    });

    it('is no difference that users have made here: their downloads, ratings and edits', async () => {
      await service.client.send('POST', `/api/content/${await contentId()}/downloads`);
      await service.client.send('PUT', `/api/content/${await contentId()}/rating`, { score: 1 });
      expect((await run([{ ...first, description: 'edited beside users' }])).json).toEqual([{ ...NONE, changed: 1 }]);
    });

    it('is taken with --update counters where the item has none of its own, also from lines that were ignored before', async () => {
      const item = { ...first, externalId: 'counted', name: 'counted' };
      const countersOf = async () =>
        (
          await service.database.query(
            `select downloads_count as "downloadsCount", latest_downloads_count as "latestDownloadsCount", rating_count as count, rating_sum as sum from content where name = 'counted'`,
          )
        )[0];
      const stored = ({ downloadsCount, latestDownloadsCount, ratings }: typeof counters) => ({
        downloadsCount,
        latestDownloadsCount,
        ...ratings,
      });
      await run([item]);
      const news = { ...item, ...counters };
      expect((await run([news])).json).toMatchObject([{ ...NONE, ignored: 1 }]);
      expect((await run([news], '--update', 'counters', '--dry-run')).json).toEqual([{ ...NONE, changed: 1 }]);
      expect((await run([news], '--update', 'counters')).json).toEqual([{ ...NONE, changed: 1 }]);
      expect(await countersOf()).toEqual(stored(counters));
      expect((await run([news], '--update', 'counters')).json).toEqual([{ ...NONE, unchanged: 1 }]);
      expect(await itemOf('counted')).toMatchObject({ downloadsCount: 20, avgRating: 4 });
      // Another version, with its downloads, in the same line.
      const next = { ...news, version: 2, downloadsCount: 21, latestDownloadsCount: 1 };
      expect((await run([next], '--update', 'counters')).json).toEqual([{ ...NONE, changed: 1 }]);
      expect(await countersOf()).toEqual(stored({ ...counters, downloadsCount: 21, latestDownloadsCount: 1 }));
      // Users of this service count from here on.
      const { contentId: id } = (await itemOf('counted'))!;
      await service.client.send('POST', `/api/content/${id}/downloads`);
      const later = { ...next, downloadsCount: 30, ratings: { count: 4, sum: 16 } };
      expect((await run([later], '--update', 'counters')).json).toEqual([{ ...NONE, changed: 1, ignoredFields: { downloadsCount: 1 } }]);
      await service.client.send('PUT', `/api/content/${id}/rating`, { score: 1 }, USERS.boris);
      expect((await run([{ ...later, ratings: { count: 5, sum: 20 } }], '--update', 'counters')).json).toEqual([
        { ...NONE, ignored: 1, ignoredFields: { downloadsCount: 1, ratings: 1 } },
      ]);
      expect(await countersOf()).toEqual({ downloadsCount: 22, latestDownloadsCount: 2, count: 5, sum: 17 });
    });

    it('is taken neither for texts that were edited here nor for items of a blocked user by a line that was imported before', async () => {
      const item = { ...first, externalId: 'counted/2', name: 'counted second', creator: { credential: 'news|3', username: 'Third' } };
      await run([item]);
      const { contentId: id, creatorId } = (await itemOf('counted second'))!;
      await service.database.query(`update content set description = 'edited here' where content_id = $1`, [id]);
      const news = { ...item, ...counters };
      await service.database.query(`update external_item set line_hash = sha256($2) where content_id = $1`, [
        id,
        Buffer.from(JSON.stringify(news)),
      ]);
      await blockUser(service.database, creatorId, undefined);
      expect((await run([news], '--update', 'counters')).json).toEqual([{ ...NONE, unchanged: 1 }]);
      await unblockUser(service.database, creatorId);
      expect((await run([news], '--update', 'counters')).json).toEqual([{ ...NONE, changed: 1 }]);
      expect((await service.client.get(`/api/content/${id}`)).body).toMatchObject({ description: 'edited here', downloadsCount: 20 });
    });

    it('is refused for anything else than counters', async () => {
      expect(await run([first], '--update', 'names')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--update must be counters'),
      });
    });
  });

  it('rejects a changed line above a limit, whose item stays, and says so with --dry-run, also of an item in the same file', async () => {
    const first = lineWith({ externalId: 'limited', name: 'imported within the limits' });
    const changed = { externalId: 'limited', name: 'ﷺ'.repeat(200), version: 9 };
    expect((await run([first, changed], '--dry-run')).json).toEqual([{ ...NONE, created: 1, rejected: 1 }]);
    await run([first]);
    for (const args of [['--dry-run'], []]) {
      const { json, file } = await run([changed], ...args);
      expect(json).toEqual([{ ...NONE, rejected: 1 }]);
      expect(await rejectedIn(file)).toMatchObject([
        { errors: [{ pointer: '#/name', detail: expect.stringContaining('is searched as') }] },
      ]);
    }
    expect(await itemOf('imported within the limits')).toMatchObject({ version: 3 });
  });

  it('takes a second line of an item in the same file for a change of the first', async () => {
    const lines = [lineWith({ externalId: 'twice', name: 'imported first' }), lineWith({ externalId: 'twice', name: 'imported second' })];
    expect((await run(lines)).json).toEqual([{ ...NONE, created: 1, changed: 1 }]);
    expect(await itemOf('imported second')).toBeDefined();
  });

  it('never brings a removed item back, also when it is purged or its creator was erased', async () => {
    const creator = { credential: 'imported|erased', username: 'Erased' };
    const lines = ['kept', 'removed', 'purged', 'erased'].map((id) =>
      lineWith({ externalId: `back/${id}`, name: `back ${id}`, ...(id === 'erased' && { creator, creatorId: undefined }) }),
    );
    await run(lines);
    expect(await eraseUser(service.database, (await itemOf('back erased'))?.creatorId ?? NaN)).toBe(true);
    const { contentId: removed } = (await itemOf('back removed')) ?? {};
    const { contentId: purged } = (await itemOf('back purged')) ?? {};
    for (const id of [removed, purged]) await service.client.send('DELETE', `/api/content/${id}`);
    await service.indexed();
    await service.database.query('delete from content where content_id = $1', [purged]);
    expect((await run(lines)).json).toEqual([{ ...NONE, unchanged: 1, skipped: 3 }]);
    expect((await run(lines.map((line) => ({ ...line, version: 4 })))).json).toEqual([{ ...NONE, changed: 1, skipped: 3 }]);
    expect(await service.database.query('select from users where credential = $1', [creator.credential])).toEqual([]);
    await service.indexed();
    expect(await service.client.search('back')).toEqual(['back kept']);
  });

  describe('of a blocked user', () => {
    const hidden = async (name: string) =>
      (
        await service.database.query<{ reason: string; byBlock: boolean }>(
          'select reason, by_block from hidden_content join content using (content_id) where name = $1',
          [name],
        )
      )[0];
    const usersWith = (credential: string) => service.database.query('select from users where credential = $1', [credential]);

    /** @returns lines of one user, who is named by the id and by the credential */
    async function linesOf(name: string): Promise<{ userId: number; credential: string; byId: object; byCredential: object }> {
      const credential = `imported|${name}`;
      const [user] = await service.database.query<{ userId: number }>('insert into users (username, credential) values ($1, $2) returning user_id', [name, credential]); // prettier-ignore
      const userId = user?.userId ?? NaN;
      const creator = { credential, username: name };
      const byId = lineWith({ externalId: `${name}/id`, name: `${name} by id`, creatorId: userId });
      return { userId, credential, byId, byCredential: lineWith({ externalId: `${name}/credential`, name: `${name} by credential`, creatorId: undefined, creator }) }; // prettier-ignore
    }

    it('new items are hidden as by the block, until they are shown with its end', async () => {
      const { userId, byId, byCredential } = await linesOf('blockquarl');
      await blockUser(service.database, userId, 'for operators');
      const moderated = { ...byId, externalId: 'moderated', name: 'blockquarl moderated', hidden: { reason: 'by a moderator' } };
      expect((await run([byId, byCredential, moderated])).json).toEqual([{ ...NONE, created: 3 }]);
      for (const name of ['by id', 'by credential'])
        expect(await hidden(`blockquarl ${name}`)).toEqual({ reason: 'The user is blocked.', byBlock: true });
      await service.indexed();
      expect(await service.client.search('blockquarl')).toEqual([]);
      await unblockUser(service.database, userId);
      expect(await showItemsOf(service.database, userId)).toBe(2);
      await service.indexed();
      expect((await service.client.search('blockquarl')).toSorted()).toEqual(['blockquarl by credential', 'blockquarl by id']);
      expect(await hidden('blockquarl moderated')).toEqual({ reason: 'by a moderator', byBlock: false });
    });

    it('a changed line is rejected and the same one changes nothing, but one that deletes is taken, also by --dry-run', async () => {
      const { userId, byId, byCredential } = await linesOf('changequarl');
      await run([byId, byCredential]);
      await blockUser(service.database, userId, undefined);
      const later = { ...byId, externalId: 'changequarl/new', name: 'changequarl new' };
      const lines = [
        byId,
        { ...byId, description: 'edited' },
        { externalId: 'changequarl/id', name: 'edited' },
        { externalId: 'changequarl/credential', deleted: true },
        later,
        { ...later, name: 'edited' },
        { externalId: 'changequarl/new', deleted: true },
      ];
      const counts = { ...NONE, unchanged: 1, deleted: 2, created: 1, rejected: 3 };
      expect((await run(lines, '--dry-run')).json).toEqual([counts]);
      const { json, file } = await run(lines);
      expect(json).toEqual([counts]);
      const errors = [{ pointer: '#/externalId', detail: expect.stringContaining('blocked user') }];
      expect(await rejectedIn(file)).toMatchObject([2, 3, 6].map((line) => ({ line, errors })));
      const [item] = await service.database.query<{ description: string }>(`select description from content where name = 'changequarl by id'`); // prettier-ignore
      expect(item?.description).toBe(LINE.description);
    });

    it('who was erased is rejected, and no line makes a user of the account again', async () => {
      const { userId, credential, byId, byCredential } = await linesOf('erasequarl');
      await blockUser(service.database, userId, undefined);
      expect(await eraseUser(service.database, userId)).toBe(true);
      const unnamed = { ...byCredential, externalId: 'erasequarl/unnamed', creator: { credential } };
      for (const args of [['--dry-run'], []]) {
        const { json, file } = await run([byCredential, unnamed, byId], ...args);
        expect(json).toEqual([{ ...NONE, rejected: 3 }]);
        const blocked = [{ pointer: '#/creator/credential', detail: expect.stringContaining('blocked account') }];
        const missing = [{ pointer: '#/creatorId', detail: 'is not the id of a user' }];
        expect((await rejectedIn(file)).map(({ errors }) => errors)).toEqual([blocked, blocked, missing]);
      }
      expect(await usersWith(credential)).toEqual([]);
    });
  });

  it('takes the update of a new item for its creation if the line has no other time', async () => {
    await run([lineWith({ externalId: 'one time', name: 'imported with one time', createdAt: undefined })]);
    const time = '2019-05-02T10:00:00.000+00:00';
    expect(await itemOf('imported with one time')).toMatchObject({ createdAt: time, updatedAt: time });
  });

  it('deletes an item whose line says so', async () => {
    await run([lineWith({ externalId: 'gone', name: 'imported and gone', thumbnail: png().toString('base64') })]);
    const deletion = { externalId: 'gone', deleted: true };
    expect((await run([deletion])).json).toEqual([{ ...NONE, deleted: 1 }]);
    expect((await run([deletion, { externalId: 'never there', deleted: true }])).json).toEqual([{ ...NONE, unchanged: 2 }]);
    expect(await itemOf('imported and gone')).toBeUndefined();
  });

  it('checks each line with --dry-run, and stores nothing', async () => {
    const lines = [lineWith({ externalId: 'dry', name: 'imported dry' }), lineWith({ externalId: 'dry/2', name: '' }), LINE];
    const { json, code } = await run(lines, '--dry-run');
    expect({ json, code }).toEqual({ json: [{ ...NONE, created: 1, unchanged: 1, rejected: 1 }], code: 1 });
    expect(await itemOf('imported dry')).toBeUndefined();
  });

  it('accepts with --dry-run what the import accepts: later lines of new items and of new users', async () => {
    const creator = { credential: 'dry|run', username: 'Dry' };
    const named = lineWith({ externalId: 'dry/3', name: 'imported dry', creatorId: undefined, creator });
    const unnamed = { ...named, creator: { credential: creator.credential } };
    const lines = [
      named,
      { ...unnamed, externalId: 'dry/4' },
      { externalId: 'dry/3', name: 'changed' },
      { ...unnamed, externalId: 'dry/5' },
      { externalId: 'dry/3', deleted: true },
    ];
    const ids = join(folder, 'dry-ids.ndjson');
    const counts = [{ ...NONE, created: 3, changed: 1, deleted: 1 }];
    expect((await run(lines, '--dry-run', '--ids', ids)).json).toEqual(counts);
    expect(existsSync(ids)).toBe(false);
    expect((await run(lines)).json).toEqual(counts);
  });

  const far = new Date(Date.now() + 86_400_000).toISOString();
  const REJECTED: [string, LineText, string | RegExp][] = [
    ['no JSON', '{"externalId":"x"', 'is not valid JSON'],
    ['an array', '[]', 'must be a JSON object'],
    ['a byte order mark', `\ufeff${JSON.stringify(LINE)}`, 'byte order mark'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'is not valid JSON in UTF-8'],
    ['no externalId', lineWith({ externalId: undefined }), 'is required'],
    ['an externalId that shows nothing', lineWith({ externalId: ' ' }), 'must not be blank'],
    ['an externalId of 201 characters', lineWith({ externalId: 'x'.repeat(201) }), 'at most 200 characters'],
    ['a name with U+0000', lineWith({ name: 'a\0' }), 'must not contain U+0000'],
    ['a name that is too long', lineWith({ name: 'x'.repeat(201) }), 'at most 200 characters'],
    ['no data', lineWith({ data: undefined }), 'is required for a new item'],
    ['no creator', lineWith({ creatorId: undefined }), 'is required for a new item'],
    ['two creators', { ...LINE, creatorId: 1 }, 'must not be given beside creatorId'],
    ['an unknown creatorId', lineWith({ creatorId: 999_999 }), 'is not the id of a user'],
    ['an unknown creator without a name', lineWith({ creatorId: undefined, creator: { credential: 'x|y' } }), 'there is no user with this'],
    ['a credential of the service', { ...LINE, creator: { credential: 'ugc:erased', username: 'x' } }, 'must not begin with ugc:'],
    ['a time in the future', lineWith({ createdAt: far, updatedAt: far }), 'must not be in the future'],
    ['a time that is none', lineWith({ createdAt: 'yesterday' }), 'must be a date'],
    ['an update before the creation', lineWith({ createdAt: '2020-01-01', updatedAt: '2019-01-01' }), 'must not be before createdAt'],
    ['ratings above five', lineWith({ ratings: { count: 2, sum: 11 } }), 'must have a sum from count to 5 x count'],
    ['ratings below one', lineWith({ ratings: { count: 2, sum: 1 } }), 'must have a sum from count to 5 x count'],
    ['more downloads of a version than of the item', lineWith({ latestDownloadsCount: 5_121 }), 'must not exceed downloadsCount'],
    [
      'a negative number',
      lineWith({ downloadsCount: -1 }),
      /^must be an integer from 0 to 9007199254740991, such as 12, and not -1; leave the field out if the number is unknown$/,
    ],
    [
      'a number that is too large',
      lineWith({ downloadsCount: 1e18 }),
      /^must be an integer from 0 to 9007199254740991, such as 12, and not 1000000000000000000$/,
    ],
    ['a number with a fraction', lineWith({ downloadsCount: 1.5 }), /^must be an integer .*, and not 1.5$/],
    ['a number as a text', lineWith({ downloadsCount: '12' }), /^must be an integer .*, and not "12"$/],
    [
      'numbers of ratings that are wrong by themselves',
      lineWith({ ratings: { count: -2, sum: 1e18 } }),
      /^must be an integer .*, and not -2;.*; must be an integer .*, and not 1000000000000000000$/,
    ],
    [
      'downloads of a version alone',
      lineWith({ downloadsCount: undefined, latestDownloadsCount: 5 }),
      /^must not be given without downloadsCount$/,
    ],
    ['more downloads by users than downloads', lineWith({ userDownloads: 5_121 }), /^must not exceed downloadsCount, which is 5120$/],
    [
      'more downloads of a version by users than by users',
      lineWith({ latestDownloadsCount: 9, userDownloads: 3, latestUserDownloads: 4 }),
      /^must not exceed userDownloads, which is 3$/,
    ],
    ['downloads of a version by users alone', lineWith({ latestUserDownloads: 4 }), /^must not be given without latestDownloadsCount$/],
    ['heat of half an export', lineWith({ heat: { week: 3 } }), /^must be a number$/],
    ['heat of a later time', lineWith({ heat: { day: 1e9, week: 3 } }), /^must be at most \d+: it is of a later time than now$/],
    ['a negative id of a user', lineWith({ creatorId: -1 }), /^must be the id of a user: an integer from 1$/],
    ['a picture that is none', lineWith({ thumbnail: 'AAAA' }), 'is not a PNG, JPEG, WebP or GIF image'],
    ['a text that is searched as too many characters', lineWith({ name: 'ﷺ'.repeat(200) }), 'is searched as'],
    ['a line above the limit of an upload', lineWith({ data: 'x'.repeat(2_100_000) }), 'the limit of an upload'],
  ];

  it('rejects each wrong line, says why, and stores those between them', async () => {
    const lines = REJECTED.flatMap(([name, line]) => {
      const isItem = typeof line === 'object' && 'externalId' in line && line.externalId === LINE.externalId;
      return [
        lineWith({ externalId: `beside ${name}`, name: `beside ${name}` }),
        '',
        isItem ? { ...line, externalId: `wrong ${name}` } : line,
      ];
    });
    const { json, code, stderr, file } = await run(lines);
    const count = REJECTED.length;
    expect({ json, code }).toEqual({ json: [{ ...NONE, created: count, rejected: count }], code: 1 });
    expect(stderr).toContain('.rejected.ndjson has the rejected lines');
    expect(stderr).toMatch(
      /commonest reasons for rejected lines:\n- in 3 lines: #\/downloadsCount must .*\n(?:- in \d lines?: .*\n){2}\S*ndjson has/,
    );
    const rejected = (await rejectedIn(file)).toSorted((one, other) => one.line - other.line);
    expect(rejected.map(({ line, errors }) => ({ line, details: errors.map(({ detail }) => detail).join('; ') }))).toEqual(
      REJECTED.map(([, , message], position) => ({
        line: 3 * position + 3,
        details: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
      })),
    );
  });

  it('rejects the one line that only the database refuses', async () => {
    await service.database.query(`alter table content add constraint refused check (name <> 'refused') not valid`);
    const names = ['one', 'two', 'refused', 'three', 'four'];
    const { json, file } = await run(names.map((name) => lineWith({ externalId: `halved/${name}`, name })));
    await service.database.query('alter table content drop constraint refused');
    expect(json).toEqual([{ ...NONE, created: 4, rejected: 1 }]);
    expect(await rejectedIn(file)).toMatchObject([{ line: 3, externalId: 'halved/refused' }]);
  });

  it('stores each item once when two imports read the same file', async () => {
    const lines = Array.from({ length: 700 }, (_, n) => lineWith({ externalId: `both/${n}`, name: `both ${n}` }));
    const [one, other] = await Promise.all([run(lines, '--no-wait'), run(lines.toReversed(), '--no-wait')]);
    const counts = [one, other].flatMap(({ json }) => json as { created: number; unchanged: number }[]);
    expect(counts.reduce((sum, { created }) => sum + created, 0)).toBe(700);
    expect(counts.reduce((sum, { unchanged }) => sum + unchanged, 0)).toBe(700);
  });

  it('stores the name of a new creator in one line, and reports a rejected line without a character that a terminal obeys', async () => {
    const username = 'Ada\x1b[2K\n999\x9b\u202eL';
    const creator = { credential: 'one|line', username };
    const { file } = await run([
      { ...LINE, externalId: 'one line', creator },
      { ...LINE, externalId: username, version: -1 },
    ]);
    const [user] = await service.database.query(`select username from users where credential = $1`, [creator.credential]);
    expect(user).toEqual({ username: 'Ada [2K 999  L' });
    expect(await rejectedIn(file)).toMatchObject([{ externalId: username }]);
    expect((await readFile(`${file}.rejected.ndjson`, 'utf8')).trimEnd()).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it('waits while many changes are pending, so that others are indexed soon', async () => {
    const env = await createEnvironment();
    const stores = openStores(env);
    await storeContent(
      stores.database,
      Array.from({ length: 1_000 }, () => ({})),
    );
    const importing = importOf(env, [lineWith({ externalId: 'paced' })]);
    const polls = `select 1 from pg_stat_activity where datname = current_database() and application_name like 'ugc-import%'
      and query like '%index_outbox%'`;
    await until('it looks at what is pending', async () => (await stores.database.query(polls)).length > 0);
    expect(await stores.database.query('select 1 from external_item')).toEqual([]);
    await stores.database.query('delete from index_outbox');
    expect(await importing).toMatchObject({ code: 0, json: [{ created: 1 }] });
    await stores.close();
  });

  it('reads standard input, and prints its rejected lines', async () => {
    const { process: child, result } = startApiCommand(service.env, 'import', '-', '--json');
    child.stdin?.end(`${JSON.stringify(lineWith({ externalId: 'from standard input' }))}\n{`);
    const rejected = { line: 2, errors: [{ detail: expect.stringContaining('JSON') }] };
    expect(await result).toMatchObject({ code: 1, json: [rejected, { ...NONE, created: 1, rejected: 1 }] });
  });

  it('exits with 2 for a file that is missing, or that it would both read and write, or write twice, and keeps it', async () => {
    const missing = join(folder, 'missing');
    expect(await apiCommand(service.env, 'import', missing)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no file'),
    });
    expect(existsSync(`${missing}.rejected.ndjson`)).toBe(false);
    const { file } = await run([LINE]);
    for (const args of [['--ids', file], ['--rejected', join(folder, '.', file.slice(folder.length))], ['--ids', `${file}.rejected.ndjson`]])
      expect(await apiCommand(service.env, 'import', file, ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining('must not be the file of') }); // prettier-ignore
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(LINE);
  });

  it('exits with 1 and the reason if it cannot write a file', async () => {
    const ids = join(folder, 'no such folder', 'ids.ndjson');
    const { code, stderr } = await run([lineWith({ externalId: 'not written' })], '--ids', ids);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^ENOENT.*ids\.ndjson/m) });
    expect(stderr).not.toContain('    at ');
  });

  it('ends at once, with the reason, for a failure of PostgreSQL that does not pass', async () => {
    const env = { ...service.env, DATABASE_URL: new URL('/missing', service.env['DATABASE_URL']).href };
    expect(await importOf(env, [LINE])).toMatchObject({ code: 1, stderr: expect.stringContaining('SQLSTATE 3D000') });
  });
});

describe('npx pnpm export', () => {
  let [env, otherEnv]: Environment[] = [];
  let stores: Stores[] = [];
  beforeAll(async () => {
    [env, otherEnv] = [await createEnvironment(), await createEnvironment()];
    stores = [openStores(env), openStores(otherEnv)];
    // The databases of the tests are copies of one, with its id.
    await stores[1]?.database.query('update index_control set database_id = gen_random_uuid()');
    await stores[0]?.database.query('truncate users cascade');
    await loadDemo(stores[0]!, () => undefined);
    const declared = await readDeclaredFields(stores[0]!.database);
    await stores[1]?.database.transaction((tx) => storeDefinitions(tx, declared));
    // More than one slice.
    const [user] = await stores[0]!.database.query<{ userId: number }>('select user_id from users');
    const more = Array.from({ length: 20 }, (_, n) => ({ creatorId: user!.userId, name: `item ${n}` }));
    await storeContent(stores[0]!.database, more);
    await stores[0]?.database.query(`update content set file_name = name || '.txt' where name like 'item %'`);
    await stores[0]?.database.query(`update content set rating_sum = 9, rating_count = 2 where name = 'item 7'`);
    const hide = `with hidden as (update content set deleted_at = 'infinity' where name in ('item 8', 'item 9') returning content_id, creator_id, name)
      insert into hidden_content (content_id, creator_id, reason, hidden_at, hidden_by)
      select content_id, creator_id, 'spam', '2020-02-03', case name when 'item 8' then 'a moderator' end from hidden`;
    await stores[0]?.database.query(hide);
  });
  afterAll(() => Promise.all(stores.map((each) => each.close())));

  const exported = async (from: Environment): Promise<Record<string, unknown>[]> => {
    const result = await apiCommand(from, 'export');
    expect(failureOf(result)).toBe('');
    return itemsOf(result);
  };

  it('writes what an import into the same database takes for the items that are there', async () => {
    const lines = await exported(env ?? {});
    expect(lines).toHaveLength(await countContent(stores[0]!.database));
    const [first, second] = lines.map(({ contentId }) => contentId);
    await stores[0]?.database.query('delete from content where content_id = $1', [first]);
    await stores[0]?.database.query(`update content set deleted_at = now() where content_id = $1`, [second]);
    const counts = [{ ...NONE, unchanged: lines.length - 2, skipped: 2 }];
    expect((await importOf(env ?? {}, lines)).json).toEqual(counts);
    expect((await importOf(env ?? {}, lines)).json).toEqual(counts);
    expect(await exported(env ?? {})).toEqual(lines.slice(2));
  });

  it('rejects a line whose id another item has since a restore, also one that deletes', async () => {
    await stores[0]?.database.query('delete from external_item');
    const line = (await exported(env ?? {})).find(({ name }) => name === 'item 3')!;
    const { externalId, creator, createdAt } = line;
    const others = [
      { ...line, createdAt: '2001-01-01' },
      { ...line, creator: { credential: 'restored|1', username: 'Restored' } },
      { externalId, deleted: true },
      { externalId, name: 'changed' },
    ];
    const { json, file } = await importOf(env ?? {}, others);
    expect(json).toEqual([{ ...NONE, rejected: 4 }]);
    const errors = [{ pointer: '#/externalId', detail: expect.stringContaining('is the id of another item') }];
    expect(await rejectedIn(file)).toMatchObject(others.map(() => ({ errors })));
    expect(await exported(env ?? {})).toContainEqual(line);
    const deletion = { externalId, creator, createdAt, deleted: true };
    expect((await importOf(env ?? {}, [deletion])).json).toEqual([{ ...NONE, deleted: 1 }]);
  });

  it('gives the same items in another database, but for their ids', async () => {
    const lines = await exported(env ?? {});
    expect((await importOf(otherEnv ?? {}, lines)).json).toEqual([{ ...NONE, created: lines.length }]);
    const withoutIds = (all: Record<string, unknown>[]) => all.map(({ contentId: _, ...line }) => line);
    expect(withoutIds(await exported(otherEnv ?? {}))).toEqual(withoutIds(lines));
    expect(lines).toContainEqual(expect.objectContaining({ name: 'item 7', fileName: 'item 7.txt', ratings: { count: 2, sum: 9 } }));
    const since = '2020-02-03T00:00:00.000+00:00';
    expect(lines.flatMap(({ name, hidden }) => (hidden ? [[name, hidden]] : []))).toEqual([
      ['item 8', { since, by: 'a moderator', reason: 'spam' }],
      ['item 9', { since, by: null, reason: 'spam' }],
    ]);
    // Also without the pictures, a line says whether there is one.
    const pictured = (all: Record<string, unknown>[]) => all.map(({ contentId, hasThumbnail }) => [contentId, hasThumbnail]);
    expect(new Set(lines.map(({ hasThumbnail }) => hasThumbnail))).toEqual(new Set([true, false]));
    expect(lines.every(({ hasThumbnail, thumbnail }) => hasThumbnail === (thumbnail !== undefined))).toBe(true);
    expect(pictured(itemsOf(await apiCommand(env ?? {}, 'export', '--no-thumbnails')))).toEqual(pictured(lines));
  });

  it('writes what is stored of one user: the account, the own items also when hidden, and the ratings that were given', async () => {
    const { database } = stores[0]!;
    const [item] = await database.query<{ creatorId: number; contentId: number }>('select creator_id, content_id from content where deleted_at is null'); // prettier-ignore
    const { creatorId } = item!;
    await database.query(`update content set deleted_at = 'infinity' where content_id = $1`, [item!.contentId]);
    await database.query(`insert into hidden_content (content_id, creator_id, hidden_by, reason) values ($1, $2, 'moderator 7', 'spam')`, [item!.contentId, creatorId]); // prettier-ignore
    await blockUser(database, creatorId, 'for operators');
    await linkUser(database, creatorId, 'test|linked');
    await database.query('insert into rating select content_id, $1, 4 from content where creator_id <> $1 limit 2', [creatorId]);
    const [user, ...lines] = (await apiCommand(env ?? {}, 'users', 'export', String(creatorId))).json as Record<string, unknown>[];
    const account = { userId: creatorId, username: expect.any(String), credential: 'test|linked', createdAt: expect.any(String) };
    expect(user).toEqual({ user: { ...account, blockedAt: expect.any(String) } });
    const others = await exported(env ?? {});
    const own = others.filter(({ creator }) => (creator as { credential: string }).credential === (user as { user: { credential: string } }).user.credential); // prettier-ignore
    // The export of all items is for operators.
    const { hidden, ...rest } = own.find(({ contentId }) => contentId === item!.contentId)!;
    expect(hidden).toEqual({ since: expect.any(String), by: 'moderator 7', reason: 'spam' });
    const copied = own.map((line) => (line['contentId'] === item!.contentId ? { ...rest, hidden: { ...(hidden as object), by: undefined } } : line)); // prettier-ignore
    const rating = { rating: { contentId: expect.any(Number), score: 4 } };
    expect(lines).toEqual([...copied, rating, rating]);
    expect(JSON.stringify([user, lines])).not.toMatch(/moderator 7|for operators/);
    expect(await apiCommand(env ?? {}, 'users', 'export', '999999')).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no user 999999') }); // prettier-ignore
  });
});
