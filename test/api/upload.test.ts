import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';
import { USERS } from '../support/processes/environment.ts';
import { tokenOf } from '../support/http/tokens.ts';

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;

describe('an upload', () => {
  const service = forAllTests(() => startService());

  it('returns the stored item, its creator and its dates', async () => {
    const upload = { creatorId: USERS['Chloé Dubois'], name: 'Kettle', description: 'boils', version: 3, data: '{}', tags: ['kitchen'] };
    const response = await service.client.post('/content', upload, USERS['Chloé Dubois']);
    expect(response.status).toBe(201);
    const id = response.body.content_id;
    expect(response.body).toEqual({
      content_id: id,
      data: '{}',
      creator: { user_id: 3, username: 'Chloé Dubois', credential: 'test|Chloé Dubois' },
      name: 'Kettle',
      description: 'boils',
      version: 3,
      contentDates: { content_id: id, created_at: expect.stringMatching(TIMESTAMP), updated_at: expect.stringMatching(TIMESTAMP) },
    });
    expect(response.headers.get('location')).toBe(`/api/content/${id}`);
  });

  it('can be read by id at once, exactly as it was sent', async () => {
    const data = 'tab\t newline\n "quotes" \\ é e\u0301 👩‍👩‍👧 \u202Ertl <script>alert(1)</script> {{7*7}} ${jndi:ldap://x}';
    const id = await service.client.upload({ name: data.slice(0, 100), description: data, data });
    const response = await service.client.get(`/api/content/${id}`);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ contentId: id, name: data.slice(0, 100), description: data, data });
  });

  it('appears in lists with the same fields as when read by id', async () => {
    const id = await service.client.upload({ name: 'Zeppelin', tags: ['airship'], version: 7, data: 'payload' });
    await service.indexed();
    const list = await service.client.list({ prompt: 'zeppelin' });
    const one = await service.client.get(`/api/content/${id}`);
    expect(list.body.content).toEqual([one.body]);
  });

  it('keeps the order of the tags and removes duplicates', async () => {
    const id = await service.client.upload({ tags: ['b', 'a', 'b', 'A'] });
    const [row] = await service.database.query('select tags from content where content_id = $1', [id]);
    expect(row?.['tags']).toEqual(['b', 'a', 'A']);
  });

  it('for another user is 403 unless the token has the scope content:write:any', async () => {
    const upload = { creatorId: USERS.boris, name: 'x', description: '', version: 0, data: '' };
    const forbidden = await service.client.post('/content', upload, USERS.ada);
    expect(forbidden.status).toBe(403);
    const token = await tokenOf(USERS.ada, { scope: 'read content:write:any' });
    const accepted = await service.client.request('POST', '/content', {
      token,
      body: JSON.stringify(upload),
      headers: { 'content-type': 'application/json' },
    });
    expect(accepted.status).toBe(201);
    expect(accepted.body.creator.user_id).toBe(USERS.boris);
  });

  it.each(['content:write', 'content:write:any:more', 'CONTENT:WRITE:ANY', 'content:write:anything', 'any', ''])(
    'for another user is 403 with the scope %j',
    async (scope) => {
      const token = await tokenOf(USERS.ada, { scope });
      const body = JSON.stringify({ creatorId: USERS.boris, name: 'x', description: '', version: 0, data: '' });
      const headers = { 'content-type': 'application/json' };
      expect((await service.client.request('POST', '/content', { token, body, headers })).status).toBe(403);
    },
  );

  it('for a user who does not exist is 403, and nothing is stored', async () => {
    const before = await service.database.query('select count(*) from content');
    const response = await service.client.tryUpload({}, 999);
    expect(response.status).toBe(403);
    expect(await service.database.query('select count(*) from content')).toEqual(before);
  });
});
