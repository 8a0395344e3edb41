import { beforeAll, expect, it } from '@jest/globals';
import { renameUser } from '@ugc/api/users/rename-user';
import { USERS } from '../support/processes/environment.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';

const service = forAllTests(() => startService());
beforeAll(async () => {
  await service.database.query(
    `with c as (insert into content (creator_id, name, description, data, version)
       select $1, 'item ' || n, '', '', 1 from generate_series(1, 1200) n returning content_id, revision)
     insert into index_outbox (content_id, revision) select content_id, revision from c`,
    [USERS.boris],
  );
  await service.indexed();
});

const countBy = async (name: string) => {
  const { body } = await service.client.list({ prompt: `"${name}"`, size: 1 });
  return body.totalElements;
};

it('lists show the new name of a user for all of the user’s items', async () => {
  expect(await renameUser(service.database, USERS.boris, 'Borislava Petrova', () => undefined)).toBe(1_200);
  await service.indexed();
  expect(await countBy('Borislava Petrova')).toBe(1_200);
  expect(await countBy('boris')).toBe(0);
});

it('a rename that was stopped continues after its last batch', async () => {
  const stop = new Error('stopped');
  const stopped = renameUser(service.database, USERS.boris, 'Borya', () => {
    throw stop;
  });
  await expect(stopped).rejects.toBe(stop);
  expect(await renameUser(service.database, USERS.boris, 'Borya', () => undefined)).toBe(700);
  await service.indexed();
  expect(await countBy('Borya')).toBe(1_200);
});

it('an item that the rename has not reached yet has a new entity tag, so that no 304 hides the new name', async () => {
  const [last] = await service.database.query<{ contentId: number }>(
    `select max(content_id) as content_id from content where creator_id = $1`,
    [USERS.boris],
  );
  const path = `/api/content/${last?.contentId}`;
  const before = await service.client.get(path);
  const stop = new Error('stopped');
  const stopped = renameUser(service.database, USERS.boris, 'Boris the Third', () => {
    throw stop;
  });
  await expect(stopped).rejects.toBe(stop);
  const known = { 'if-none-match': before.headers.get('etag') ?? '' };
  const after = await service.client.send('GET', path, undefined, 1, known);
  expect(after).toMatchObject({ status: 200, body: { creatorName: 'Boris the Third' } });
  await renameUser(service.database, USERS.boris, 'Borya', () => undefined);
});

it('a rename to the name that the user already has changes nothing', async () => {
  expect(await renameUser(service.database, USERS.boris, 'Borya', () => undefined)).toBe(0);
});

it('a rename of a user who does not exist returns undefined', async () => {
  expect(await renameUser(service.database, 999, 'x', () => undefined)).toBeUndefined();
});
