import { expect, it } from '@jest/globals';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { expectProblem } from '../support/http/problems.ts';
import { SECRET } from '../support/http/tokens.ts';
import { apiCommand } from '../support/processes/command.ts';
import { startService } from '../support/processes/service.ts';
import { dataFolder } from '../support/servers/data-folder.ts';

type Recipe = { visitorToken(secret: string, visitor: string): string };

/** The code of docs/operating.md. */
async function recipe(): Promise<Recipe> {
  const text = await readFile(join(CHECKOUT, 'docs/operating.md'), 'utf8');
  const [, code = ''] = /^### A site in front .*?^```js\n(.*?)^```/ms.exec(text) ?? [];
  const file = join(await dataFolder('recipe-'), 'visitor-token.mjs');
  await writeFile(file, code);
  return (await import(file)) as Recipe;
}

const LISTS = 3;
const service = forAllTests(() => startService({ RATE_LIMIT_LISTS_PER_MINUTE: String(LISTS), SEARCH_INSIGHTS: 'true' }));

it('visitors of a site in front have limits, downloads and insights of their own by the tokens of the recipe, and no user', async () => {
  const { visitorToken } = await recipe();
  const id = await service.client.upload({ name: 'seen by visitors' });
  const users = () => service.database.query('select user_id from users');
  const before = await users();
  const visitors = Array.from({ length: 5 }, () => visitorToken(SECRET, randomUUID()));
  const statusOf = async (method: string, path: string, token: string) => (await service.client.request(method, path, { token })).status;
  const lists = '/api/content?prompt=quokka';
  for (const token of visitors) {
    for (const path of [`/api/content/${id}`, lists]) expect(await statusOf('GET', path, token)).toBe(200);
    for (const _ of [1, 2]) expect(await statusOf('POST', `/api/content/${id}/downloads`, token)).toBe(204);
  }
  const [first = '', second = ''] = visitors;
  for (let n = 1; n < LISTS; n++) expect(await statusOf('GET', lists, first)).toBe(200);
  expect(await statusOf('GET', lists, first)).toBe(429);
  expect(await statusOf('GET', lists, second)).toBe(200);
  const [counted] = await service.database.query(
    'select downloads_count as downloads, downloads_count - other_downloads as by_users from content where content_id = $1',
    [id],
  );
  expect(counted).toEqual({ downloads: 10, byUsers: 5 });
  await until('the prompt of five visitors is listed', async () =>
    /^quokka +\d+ +5 /m.test((await apiCommand(service.env, 'search-insights')).stdout),
  );
  const body = JSON.stringify({ score: 5 });
  const headers = { 'content-type': 'application/json' };
  expectProblem(await service.client.request('PUT', `/api/content/${id}/rating`, { token: first, body, headers }), 403);
  expect(await users()).toEqual(before);
});
