import { expect, it } from '@jest/globals';
import { USERS } from '../support/processes/environment.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';
import { tokenOf } from '../support/http/tokens.ts';

const service = forAllTests(() => startService({ DATABASE_POOL_SIZE: '30' }));

const upload = (key: string, fields: Record<string, unknown> = {}, userId = 1) =>
  service.client.send('POST', '/content', { creatorId: userId, name: 'Keyed', description: '', version: 1, data: '', ...fields }, userId, {
    'idempotency-key': key,
  });
const countNamed = async (name: string) => (await service.database.query('select 1 from content where name = $1', [name])).length;

it('a repeated upload with the same key returns the first response and stores one item', async () => {
  const first = await upload('again', { name: 'Again', tags: ['a'] });
  await service.client.send('PATCH', `/api/content/${first.body.content_id}`, { description: 'edited since' });
  const second = await upload('again', { name: 'Again', tags: ['a'] });
  expect(second.status).toBe(201);
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('location')).toBe(first.headers.get('location'));
  expect(await countNamed('Again')).toBe(1);
});

it('uploads with equal values but different JSON text count as the same upload', async () => {
  const first = await upload('meaning', { name: 'Meaning', tags: ['a', 'a'] });
  const second = await upload('meaning', { tags: ['a'], unknown: 1, name: 'Meaning' });
  expect(second.body).toEqual(first.body);
});

it('twenty concurrent uploads with the same key store one item and get the same response', async () => {
  const responses = await Promise.all(Array.from({ length: 20 }, () => upload('at-once', { name: 'At once' })));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  expect(await countNamed('At once')).toBe(1);
});

it('a different upload with a used key is 422 and stores nothing', async () => {
  await upload('other', { name: 'One' });
  const response = await upload('other', { name: 'Another' });
  expect(response.status).toBe(422);
  expect(await countNamed('Another')).toBe(0);
});

it('the keys of different users are independent, also for the same upload for the same creator', async () => {
  const body = { creatorId: USERS.ada, name: 'Shared', description: '', version: 1, data: '' };
  const tokens = [await tokenOf(USERS.ada), await tokenOf(USERS.boris, { scope: 'content:write:any' })];
  const send = (token: string) =>
    service.client.request('POST', '/content', {
      token,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'idempotency-key': 'shared' },
    });
  const [ada, boris] = [await send(tokens[0] ?? ''), await send(tokens[1] ?? '')];
  expect([ada.status, boris.status]).toEqual([201, 201]);
  expect(boris.body.content_id).not.toBe(ada.body.content_id);
  for (const [position, first] of [ada, boris].entries()) expect((await send(tokens[position] ?? '')).body).toEqual(first.body);
  expect(await countNamed('Shared')).toBe(2);
});

it('a failed upload does not use its key', async () => {
  expect((await upload('failed', { name: '' })).status).toBe(400);
  expect((await upload('failed', { name: 'Failed', creatorId: 999 }, 1)).status).toBe(403);
  expect((await upload('failed', { name: 'Stored' })).status).toBe(201);
});

it('a key is valid for 24 hours and can then be reused', async () => {
  const first = await upload('old', { name: 'Old' });
  const repeat = async (age: string) => {
    await service.database.query(`update idempotency_key set created_at = now() - $1::interval where key = 'old'`, [age]);
    return upload('old', { name: 'Old' });
  };
  expect((await repeat('23 hours 59 minutes')).body).toEqual(first.body);
  await service.database.query(`update idempotency_key set created_at = now() - interval '24 hours 1 minute' where key = 'old'`);
  const second = await upload('old', { name: 'New' });
  expect(second.status).toBe(201);
  expect(second.body.content_id).not.toBe(first.body.content_id);
});

it.each([['a'.repeat(256)], ['with space']])('the invalid key %p is 400', async (key) => {
  const response = await upload(key);
  expect(response.status).toBe(400);
  expect(response.body.errors).toMatchObject([{ parameter: 'Idempotency-Key' }]);
});
