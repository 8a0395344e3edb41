/** The pieces that operations are put together from. */

const DESCRIBED_REFUSALS: Record<number, string> = {
  400: 'Something is not valid; `errors` names the first 100 problems and `errorsOmitted` counts the rest.',
  403: 'No valid token.',
  404: 'There is no such item.',
  408: 'The body arrived too slowly.',
  412: 'The item has been edited since (`If-Match`).',
  413: 'The body is too large.',
  415: 'The body is of another media type.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'Too many requests in a minute, or too many of yours at a time; Retry-After says when to try again.',
  500: 'Something went wrong on our side, or a store does not answer.',
  503: 'Nothing can be stored right now; Retry-After says when to try again.',
};

export function ref(schema: string) {
  return { $ref: `#/components/schemas/${schema}` };
}

export function json(description: string, schema: string, example?: unknown) {
  return { description, content: { 'application/json': { schema: ref(schema), ...(example !== undefined && { example }) } } };
}

/** Refusals by status; every operation with a token also knows 403, 429 and 500. */
export function refusals(statuses: number[], forbidden = DESCRIBED_REFUSALS[403]) {
  return Object.fromEntries(
    [...statuses, 403, 429, 500].map((status) => {
      const description = status === 403 ? forbidden : DESCRIBED_REFUSALS[status];
      return [status, { description, content: { 'application/problem+json': { schema: ref('Problem') } } }];
    }),
  );
}

export function query(name: string, schema: object, description: string, example?: unknown) {
  return { name, in: 'query', required: false, schema, description, ...(example !== undefined && { example }) };
}

export function header(name: string, description: string, example: string, rules: object = {}) {
  return { name, in: 'header', required: false, schema: { type: 'string', ...rules }, description, example };
}

export function headers(descriptions: Record<string, string>) {
  return Object.fromEntries(Object.entries(descriptions).map(([name, description]) => [name, { description, schema: { type: 'string' } }]));
}

const EXAMPLE_TAG = '"0.109476130958206348513"';

export const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 }, example: 42 };

export const PREFER = header('Prefer', '`wait=N`: answer when lists show the change, or after N seconds, at most 10.', 'wait=5');

export const IF_MATCH = header(
  'If-Match',
  'An entity tag; the change fails if the item has been edited since. Downloads and ratings do not count.',
  EXAMPLE_TAG,
);

export const IF_NONE_MATCH = header('If-None-Match', 'Entity tags that are known already.', EXAMPLE_TAG);

export const INCLUDE = query('include', { type: 'string', enum: ['tags'] }, 'What else an item should hold.', 'tags');
