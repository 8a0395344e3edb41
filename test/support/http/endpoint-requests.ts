import { allEndpoints, type NamedEndpoint } from '@ugc/api/endpoints/endpoints';
import { defaultEnv } from '../processes/default-env.ts';

/** A request of an endpoint. `name` tells it apart, such as `PUT /api/content/{id}/rating`. */
export type EndpointRequest = { name: string; method: string; path: (id: number) => string; body: object | undefined; needsScope: boolean };

const ENDPOINTS = allEndpoints(defaultEnv()).filter(({ cost }) => cost !== 'public');
const MODERATOR_ONLY = 'scope-missing';

/** Each endpoint of one item, with its example as the body, and `HEAD` of those that read. */
export const REQUESTS_OF_AN_ITEM = ENDPOINTS.filter(({ path }) => path.includes('{id}')).flatMap(requestsOf);
/** Each endpoint that writes. */
export const WRITES = ENDPOINTS.filter(({ cost }) => cost === 'write').flatMap(requestsOf);
/** Each endpoint that reads and may show several items. */
export const READS_OF_MANY = ENDPOINTS.filter(({ method, cost }) => method === 'get' && cost !== 'read').flatMap(requestsOf).filter(({ method }) => method === 'GET'); // prettier-ignore

function requestsOf({ method, path, body, errors = [] }: NamedEndpoint): EndpointRequest[] {
  const methods = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
  return methods.map((name) => ({
    name: `${name} ${path}`,
    method: name,
    path: (id) => path.replace(/\{\w+\}/, String(id)),
    body: body?.example as object | undefined,
    needsScope: errors.some(({ code }) => code === MODERATOR_ONLY),
  }));
}
