import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openApiDocument } from '@ugc/api/endpoints/openapi';
import { SORTABLE } from '@ugc/api/search/parameters';
import { readKept } from '../support/compatibility/kept.ts';
import { png } from '../support/database/images.ts';
import { declareFields } from '../support/database/declare-fields.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { expectProblem } from '../support/http/problems.ts';
import { createOlderIndex, OLDER_RELEASE } from '../support/indices/older-index.ts';
import { failureOf, indexCommand } from '../support/processes/command.ts';
import { defaultEnv } from '../support/processes/default-env.ts';
import { createEnvironment } from '../support/processes/environment.ts';
import { openStores, startService, type Service } from '../support/processes/service.ts';

// What the index of the newest release with another mapping answers until its rebuild has ended, for each parameter of the API.

type Schema = { enum?: string[]; pattern?: string; items?: Schema; examples?: unknown[]; default?: unknown; minimum?: number };
type Parameter = { name: string; in: string; schema: Schema };
type Operation = { parameters?: Parameter[] };
type Api = { paths: Record<string, { get?: Operation }> };

const RELEASED = JSON.parse(readKept(OLDER_RELEASE, 'openapi.json') ?? '') as Api;
const PRESENT = JSON.parse(JSON.stringify(openApiDocument(defaultEnv()))) as Api;

/** Parameters and values that the release did not have. A new one belongs into one of the two lists. */
const REFUSED = ['minRecent', 'where', 'whereAll', 'whereNot', 'sort=trending', 'sort=hot', 'sort=fields.players', 'include=recent'];
const ANSWERED = ['match=closest', 'include=fields', 'include=visibility', 'facetFields', 'counts', 'key', 'kind', 'order'];
/** PostgreSQL answers these. */
const WITHOUT_INDEX = ['/api/content/{id}', '/api/content/hidden', '/api/users/me/content'];
/** What a request needs besides. */
const BESIDES: Record<string, string> = { '/api/content/suggest': 'prompt=harbour' };

const DECLARED = { licence: { type: 'keyword' }, players: { type: 'number' } };
const MODERATOR = { sub: '1', scope: 'content:moderate' };

type Asked = { path: string; parameter: string; value: string; isNew: boolean };

/** Every operation that reads, with each value of each of its parameters. */
const ASKED: Asked[] = Object.entries(PRESENT.paths).flatMap(([path, { get }]) => {
  if (!get || !path.startsWith('/api/')) return [];
  const released = RELEASED.paths[path]?.get;
  const inQuery = (get.parameters ?? []).filter((parameter) => parameter.in === 'query');
  return inQuery.flatMap(({ name, schema }) => {
    const former = released?.parameters?.find((parameter) => parameter.name === name);
    return valuesOf(name, schema).map((value) => ({ path, parameter: name, value, isNew: !released || !accepts(former, value) }));
  });
});

function valuesOf(name: string, schema: Schema): string[] {
  if (name === 'sort') return [...SORTABLE, 'fields.players'];
  if (name === 'key') return ['0123456789abcdef'];
  const [example = schema.default ?? schema.minimum ?? 'harbour'] = [schema.examples?.[0] ?? schema.items?.examples?.[0]].flat();
  return schema.enum ?? schema.items?.enum ?? [String(example)];
}

function accepts(former: Parameter | undefined, value: string): boolean {
  if (!former) return false;
  const { enum: values, pattern } = former.schema.items ?? former.schema;
  return (values?.includes(value) ?? true) && (pattern === undefined || new RegExp(pattern).test(value));
}

const nameOf = ({ parameter, value }: Asked, names: string[]): string | undefined =>
  names.find((name) => name === parameter || name === `${parameter}=${value}`);

function isRefused(asked: Asked): boolean {
  return asked.isNew && !WITHOUT_INDEX.includes(asked.path) && nameOf(asked, REFUSED) !== undefined;
}

let service: Service;
let item = 0;
beforeAll(async () => {
  const env = await createEnvironment();
  const { close, ...stores } = openStores(env);
  await storeContent(stores.database, [{ name: 'A harbour of before', tags: ['boats'] }]);
  await createOlderIndex(stores);
  await declareFields(stores.database, DECLARED);
  await close();
  service = await startService(env);
  const thumbnail = png({ width: 8, height: 8 }).toString('base64');
  const id = await service.client.upload({ name: 'A quiet harbour', thumbnail, tags: ['boats'], fields: { licence: 'MIT', players: 4 } });
  await service.client.upload({ name: 'A harbour in winter', tags: ['boats'] });
  await service.client.send('PUT', `/api/content/${id}/rating`, { score: 4 }, 2);
  item = id;
  await service.indexed();
});
afterAll(() => service.stop());

async function ask({ path, parameter, value }: Asked) {
  const query = new URLSearchParams([[parameter, value]]);
  const besides = new URLSearchParams(parameter === 'prompt' ? '' : (BESIDES[path] ?? ''));
  const asked = path.replace('{id}', String(item)).replace('{userId}', '1');
  // Only others than the creator have a rating.
  const user = path.endsWith('/rating') ? 2 : MODERATOR;
  return service.client.send('GET', `${asked}?${new URLSearchParams([...besides, ...query])}`, undefined, user);
}

it('each new parameter, and each new value of one, is decided upon', () => {
  const undecided = ASKED.filter(
    (asked) => asked.isNew && RELEASED.paths[asked.path] && nameOf(asked, [...REFUSED, ...ANSWERED]) === undefined,
  );
  expect(undecided).toEqual([]);
  for (const name of [...REFUSED, ...ANSWERED])
    expect(ASKED.filter((asked) => asked.isNew && nameOf(asked, [name])).length).toBeGreaterThan(0);
});

it('the released index refuses what it has no field for by the name of the parameter, and answers everything else', async () => {
  const wrong: unknown[] = [];
  for (const asked of ASKED) {
    const response = await ask(asked);
    if (!isRefused(asked)) {
      if (response.status !== 200) wrong.push({ ...asked, status: response.status, text: response.text });
      continue;
    }
    const { errors } = expectProblem(response, 503, 'rebuild-due');
    expect({ asked, errors }).toMatchObject({ asked, errors: [{ parameter: asked.parameter }] });
  }
  expect(wrong).toEqual([]);
  expect(ASKED.filter(isRefused).length).toBeGreaterThan(10);
});

it('the rebuilt index answers all of them, and what the release had as before; a rollback says what is missing then', async () => {
  const totals = async (): Promise<Record<string, unknown>> => {
    const found: Record<string, unknown> = {};
    for (const asked of ASKED.filter(({ isNew }) => !isNew)) {
      const { body } = (await ask(asked)) as { body: { totalElements?: number; content?: { contentId: number }[] } };
      const ids = body.content?.map(({ contentId }) => contentId).toSorted();
      found[`${asked.path} ${asked.parameter}=${asked.value}`] = { total: body.totalElements, ids };
    }
    return found;
  };
  const before = await totals();
  expect(failureOf(await indexCommand(service.env, 'index-rebuild'))).toBe('');
  expect(await totals()).toEqual(before);
  for (const asked of ASKED) expect({ asked, status: (await ask(asked)).status }).toEqual({ asked, status: 200 });
  const { code, stderr } = await indexCommand(service.env, 'index-rebuild', '--rollback');
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/lacks .*licence, players[^]*lacks .* mapping \d+ is older/) });
  for (const asked of ASKED.filter(isRefused)) expectProblem(await ask(asked), 503, 'rebuild-due');
});
