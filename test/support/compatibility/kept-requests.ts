import { png } from '../database/images.ts';
import type { ApiResponse } from '../http/client.ts';
import { tokenOf } from '../http/tokens.ts';
import type { Service } from '../processes/service.ts';
import { shapeOf } from './shapes.ts';

/** They say when and where a response was made, and differ from server to server. */
export const OF_THE_MOMENT = new Set(['date', 'content-length', 'connection', 'keep-alive', 'transfer-encoding']);
/** Headers whose values clients and proxies compare. */
const COMPARED =
  /^(content-type|cache-control|vary|allow|accept-patch|access-control-.*|preference-applied|search-correction|search-ranking|content-disposition|x-content-type-options|www-authenticate)$/;

export const MODERATOR = { sub: '2', scope: 'content:moderate' };
export const ORIGIN = 'https://app.example.com';

type Request = { user?: number | typeof MODERATOR; body?: unknown; headers?: Record<string, string> };

/** Requests of each kind, recorded by what their responses have. Their items stay. */
export async function keptRequests({ client, indexed }: Pick<Service, 'client' | 'indexed'>): Promise<string[]> {
  const entries: string[] = [];
  /** @param path such as `/api/content/{id}` @param at its query, and what stands for `{id}`, or another parameter of the path */
  const send = async (method: string, path: string, at: { id?: number; query?: string }, request: Request = {}): Promise<ApiResponse> => {
    const url = `${path.replace(/\{\w+\}/, String(at.id))}${at.query ?? ''}`;
    const { user = 1, body, headers = {} } = request;
    const response =
      method === 'OPTIONS' ? await client.request(method, url, { headers }) : await client.send(method, url, body, user, headers);
    entries.push(...entriesOf(`${method} ${path}${at.query ?? ''}`, response));
    return response;
  };
  const item = { creatorId: 1, description: 'A pixel-art wallpaper', version: 3, data: '{"width":320}', tags: ['wallpaper'] };
  const upload = async (name: string, more: object = {}, headers = {}): Promise<number> => {
    const { body } = await send('POST', '/content', {}, { body: { ...item, name, ...more }, headers: { prefer: 'wait=10', ...headers } });
    return body.content_id as number;
  };
  const picture = { thumbnail: png({ width: 8, height: 8 }).toString('base64'), fileName: 'lighthouse.json' };
  const id = await upload('Lighthouse at dusk', picture, { 'idempotency-key': 'first' });
  const other = await upload('Lighthouse at dawn');
  const removed = await upload('Harbour');
  await indexed();
  await send('PUT', '/api/content/{id}/rating', { id }, { user: 2, body: { score: 4 } });
  await send('GET', '/api/content/{id}/rating', { id }, { user: 2 });
  await send('POST', '/api/content/{id}/downloads', { id }, { user: 2 });
  await send('PUT', '/api/content/{id}/rating', { id: other }, { user: 2, body: { score: 2 } });
  await send('DELETE', '/api/content/{id}/rating', { id: other }, { user: 2 });
  const read = await send('GET', '/api/content/{id}', { id, query: '?include=tags&include=fileName' });
  const etag = read.headers.get('etag') ?? '';
  await send('GET', '/api/content/{id}', { id }, { headers: { 'if-none-match': etag } });
  const edit = { body: { name: 'Lighthouse at noon' }, headers: { 'if-match': etag, prefer: 'wait=10' } };
  await send('PATCH', '/api/content/{id}', { id }, edit);
  await send('PATCH', '/api/content/{id}', { id }, edit);
  const thumbnail = await send('GET', '/api/content/{id}/thumbnail', { id });
  await send('GET', '/api/content/{id}/thumbnail', { id }, { headers: { 'if-none-match': thumbnail.headers.get('etag') ?? '' } });
  await send('GET', '/api/content/{id}/thumbnail', { id: other });
  await send('DELETE', '/api/content/{id}', { id: removed }, { headers: { prefer: 'wait=10' } });
  await send('GET', '/api/content/{id}', { id: removed });
  await send(
    'PUT',
    '/api/content/{id}/hidden',
    { id: other },
    { user: MODERATOR, body: { reason: 'copied' }, headers: { prefer: 'wait=10' } },
  );
  await send('GET', '/api/content/hidden', {}, { user: MODERATOR });
  await send('GET', '/api/content/{id}', { id: other }, { user: 1 });
  await send('DELETE', '/api/content/{id}/hidden', { id: other }, { user: MODERATOR, headers: { prefer: 'wait=10' } });
  await send('GET', '/api/content/{id}/index-status', { id });
  await indexed();
  for (const query of [
    '',
    '?prompt=lighthuose&highlight=true&include=tags&include=fileName&include=thumbnail',
    '?totals=false&size=1&include=next',
    '?fields=summary',
  ])
    await send('GET', '/api/content', { query });
  await send('GET', '/api/content/facets', { query: '' });
  await send('GET', '/api/content/facets', { query: '?prompt=lighthouse' });
  await send('GET', '/api/content/suggest', { query: '?prompt=light' });
  await send('GET', '/api/content/{id}/similar', { id });
  await send('GET', '/api/users/{userId}', { id: 1 });
  await send('GET', '/api/fields', {});
  await send('GET', '/api/users/me', {});
  await send('PUT', '/api/users/me', {});
  const unlisted = await upload('Lighthouse for friends', { visibility: 'unlisted', publishAt: '2999-01-01' });
  await send('POST', '/api/content/{id}/key', { id: unlisted });
  await send('GET', '/api/content/{id}', { id: unlisted });
  await send('PUT', '/api/content/{id}/review', { id }, { user: MODERATOR, body: { decision: 'publish' } });
  await send('GET', '/api/content/hidden', { query: '?kind=review' }, { user: MODERATOR });
  await send('GET', '/api/users/me/content', { query: '?include=visibility' });
  for (const path of ['/openapi.json', '/openapi-3.0.json', '/health/live', '/health/ready', '/', '/docs']) await send('GET', path, {});
  // What is refused.
  await send('POST', '/content', {}, { body: { ...item, name: 7, creatorId: 'x' } });
  await send('POST', '/content', {}, { body: { ...item, name: 'Other' }, headers: { 'idempotency-key': 'first' } });
  await send('POST', '/content', {}, { body: { ...item, name: 'Of another', creatorId: 2 } });
  await send('POST', '/content', {}, { body: item, headers: { 'content-type': 'text/plain' } });
  await send('POST', '/content', {}, { body: { ...item, data: 'x'.repeat(2_100_000) } });
  await send('PATCH', '/api/content/{id}', { id }, { body: { name: 'Mine' }, user: 3 });
  await send('PUT', '/api/content/{id}/rating', { id }, { body: { score: 5 } });
  await send('GET', '/api/content', { query: '?size=x&unknown=1' });
  await send('GET', '/api/content/{id}', { id: 999_999 });
  await send('GET', '/api/unknown', {});
  await send('POST', '/api/content', {}, { body: {} });
  await send('GET', '/api/content/hidden', {}, { user: 3 });
  for (const token of [undefined, 'x', await tokenOf(1, { exp: 1 })]) {
    const response = await client.request('GET', '/api/users/me', { token });
    entries.push(
      ...entriesOf(`GET /api/users/me with ${token === undefined ? 'no' : token === 'x' ? 'an invalid' : 'an old'} token`, response),
    );
  }
  // Of web pages of others.
  const preflight = {
    origin: ORIGIN,
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization, if-match',
  };
  await send('OPTIONS', '/api/content/{id}', { id }, { headers: preflight });
  await send('GET', '/api/content/{id}', { id }, { headers: { origin: ORIGIN } });
  return entries;
}

/** Lists of the values of a header are promised value by value, so that one may be added. */
function entriesOf(what: string, { status, headers, text }: ApiResponse): string[] {
  const where = `${what}, ${status}`;
  const isJson = /json/.test(headers.get('content-type') ?? '') && !/openapi/.test(what);
  const body = isJson ? (JSON.parse(text) as { type?: unknown }) : undefined;
  return [
    where,
    ...[...headers].flatMap(([name, value]) => {
      if (OF_THE_MOMENT.has(name)) return [];
      const values = COMPARED.test(name) ? value.split(', ').map((one) => `${where}, header ${name}: ${one}`) : [];
      return [`${where}, header ${name}`, ...values];
    }),
    ...(body === undefined ? [] : shapeOf(body, `${where}, body`)),
    ...(status >= 400 && body?.type !== undefined ? [`${where}, type ${String(body.type)}`] : []),
  ];
}
