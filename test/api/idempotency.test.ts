import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { USERS } from '../support/environment.ts';
import { startService, type Service } from '../support/service.ts';
import { tokenOf } from '../support/tokens.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ DATABASE_POOL_SIZE: '30' });
});
afterAll(() => service.stop());

const upload = (key: string, fields: Record<string, unknown> = {}, userId = 1) =>
  service.client.send('POST', '/content', { creatorId: userId, name: 'Keyed', description: '', version: 1, data: '', ...fields }, userId, {
    'idempotency-key': key,
  });
const countNamed = async (name: string) => (await service.database.query('select 1 from content where name = $1', [name])).length;

it('the same key and upload give the first answer again, and one item', async () => {
  const first = await upload('again', { name: 'Again', tags: ['a'] });
  await service.client.send('PATCH', `/api/content/${first.body.content_id}`, { description: 'edited since' });
  const second = await upload('again', { name: 'Again', tags: ['a'] });
  expect(second.status).toBe(201);
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('location')).toBe(first.headers.get('location'));
  expect(await countNamed('Again')).toBe(1);
});

it('the meaning of an upload counts, not its bytes', async () => {
  const first = await upload('meaning', { name: 'Meaning', tags: ['a', 'a'] });
  const second = await upload('meaning', { tags: ['a'], unknown: 1, name: 'Meaning' });
  expect(second.body).toEqual(first.body);
});

it('twenty at once store one item and all get its answer', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => upload('at-once', { name: 'At once' })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await countNamed('At once')).toBe(1);
});

it('the same key with another upload is 422 and stores nothing', async () => {
  await upload('other', { name: 'One' });
  const answer = await upload('other', { name: 'Another' });
  expect(answer.status).toBe(422);
  expect(await countNamed('Another')).toBe(0);
});

it('keys are each user’s own, also for the same upload on behalf of the same creator', async () => {
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

it('an upload that was refused does not use its key up', async () => {
  expect((await upload('refused', { name: '' })).status).toBe(400);
  expect((await upload('refused', { name: 'Refused', creatorId: 999 }, 1)).status).toBe(403);
  expect((await upload('refused', { name: 'Taken' })).status).toBe(201);
});

it('a key is good for 24 hours, then it is new', async () => {
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

it.each([['a'.repeat(256)], ['with blank']])('the key %p is refused', async (key) => {
  const answer = await upload(key);
  expect(answer.status).toBe(400);
  expect(answer.body.errors).toMatchObject([{ parameter: 'Idempotency-Key' }]);
});
