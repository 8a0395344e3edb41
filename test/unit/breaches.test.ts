import { describe, expect, it } from '@jest/globals';
import { breachesOfApi, breachesOfTypes } from '../support/compatibility/breaches.ts';

type Json = any;

/** An API of which each part is changed below. */
function api(): Json {
  return {
    paths: {
      '/items': {
        get: {
          operationId: 'list',
          tags: ['Search'],
          parameters: [
            { name: 'size', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 200, default: 10 } },
            { name: 'sort', in: 'query', schema: { type: 'string', enum: ['name', 'date'] } },
            { name: 'tag', in: 'query', style: 'form', explode: true, schema: { type: 'string', maxLength: 64 } },
          ],
          responses: {
            200: {
              headers: { ETag: { required: true, schema: { type: 'string' } } },
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Page' } } },
            },
            404: { content: { 'application/problem+json': { schema: { type: 'object' } } } },
          },
        },
        post: {
          operationId: 'upload',
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Upload' } } } },
          responses: { 201: {} },
        },
      },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Page: { anyOf: [{ $ref: '#/components/schemas/Items' }, { $ref: '#/components/schemas/Ids' }] },
        Items: {
          type: 'object',
          required: ['items', 'next'],
          properties: {
            items: { type: 'array', items: { type: 'object', required: ['id'], properties: { id: { type: 'integer', format: 'int64' } } } },
            next: { type: ['string', 'null'] },
            state: { type: 'string', enum: ['shown', 'hidden'] },
          },
        },
        Ids: { type: 'object', required: ['ids'], properties: { ids: { type: 'array', items: { type: 'integer' } } } },
        Upload: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 100 },
            score: { type: ['integer', 'null'] },
            picture: { anyOf: [{ type: 'string' }, { type: 'null' }] },
            parent: { $ref: '#/components/schemas/Upload' },
            counts: { type: 'object', additionalProperties: { type: 'number', maximum: 10 } },
          },
        },
      },
    },
  };
}

const get = (document: Json): Json => document.paths['/items'].get;
const post = (document: Json): Json => document.paths['/items'].post;
const upload = (document: Json): Json => document.components.schemas.Upload;
const items = (document: Json): Json => document.components.schemas.Items;
const idOf = (document: Json): Json => items(document).properties.items.items.properties.id;

describe('what breaks callers of an API is found:', () => {
  it.each<[string, (document: Json) => void, string]>([
    ['a path is removed', (d) => delete d.paths['/items'], 'GET /items: removed'],
    ['a method is removed', (d) => delete d.paths['/items'].post, 'POST /items: removed'],
    ['an operation has another name', (d) => (get(d).operationId = 'all'), 'operationId list became all'],
    ['an operation needs a token', (d) => (get(d).security = [{ bearer: [] }]), 'needs another token'],
    ['a parameter is removed', (d) => get(d).parameters.pop(), 'parameter tag: removed'],
    ['a parameter moves to the headers', (d) => (get(d).parameters[2].in = 'header'), 'parameter tag: removed'],
    ['a parameter is newly required', (d) => (get(d).parameters[2].required = true), 'parameter tag: newly required'],
    [
      'a new parameter is required',
      (d) => get(d).parameters.push({ name: 'q', in: 'query', required: true }),
      'parameter q: newly required',
    ],
    ['a parameter has another default', (d) => (get(d).parameters[0].schema.default = 20), 'default 10 became 20'],
    ['a maximum is lower', (d) => (get(d).parameters[0].schema.maximum = 100), 'parameter size: maximum is lower'],
    ['a minimum is higher', (d) => (get(d).parameters[0].schema.minimum = 2), 'parameter size: minimum is higher'],
    ['a length is limited', (d) => (upload(d).properties.name.maxLength = 99), '.name: maxLength is lower'],
    ['a text must have a form', (d) => (upload(d).properties.name.pattern = 'a'), '.name: pattern has changed'],
    ['a value is removed', (d) => get(d).parameters[1].schema.enum.pop(), 'parameter sort: value date is removed'],
    ['only some values are accepted', (d) => (get(d).parameters[2].schema.enum = ['a']), 'accepts a list of values only'],
    ['a type is accepted no longer', (d) => (upload(d).properties.score.type = 'integer'), '.score: type integer,null became integer'],
    [
      'an alternative is accepted no longer',
      (d) => upload(d).properties.picture.anyOf.pop(),
      '.picture: alternative 2 is removed or narrowed',
    ],
    ['a body is required', (d) => (post(d).requestBody.required = true), 'body: newly required'],
    ['a media type is accepted no longer', (d) => (post(d).requestBody.content = {}), 'body, application/json: removed'],
    ['a property of a body is removed', (d) => delete upload(d).properties.score, '.score: removed'],
    ['a property of a body is newly required', (d) => upload(d).required.push('score'), '.score: newly required'],
    ['further properties are refused', (d) => (upload(d).additionalProperties = false), 'further properties are refused'],
    ['a status is removed', (d) => delete get(d).responses[404], 'GET /items, 404: removed'],
    ['a header is removed', (d) => delete get(d).responses[200].headers, '200, header ETag: removed'],
    [
      'a response has another media type',
      (d) => (get(d).responses[404].content = { 'text/html': {} }),
      'application/problem+json: removed',
    ],
    ['a property of a response is removed', (d) => delete items(d).properties.state, 'alternative 1 is removed or narrowed'],
    ['a property of a response may be absent', (d) => items(d).required.pop(), 'alternative 1 is removed or narrowed'],
    ['a response has another type', (d) => (idOf(d).type = 'string'), 'alternative 1 is removed or narrowed'],
    ['a number of a response is larger', (d) => (idOf(d).format = 'int128'), 'alternative 1 is removed or narrowed'],
    ['a response may be null', (d) => (idOf(d).type = ['integer', 'null']), 'alternative 1 is removed or narrowed'],
    ['a value of a response is removed', (d) => items(d).properties.state.enum.pop(), 'alternative 1 is removed or narrowed'],
    ['a response has a new alternative', (d) => d.components.schemas.Page.anyOf.push({ type: 'null' }), 'alternative 3 is new'],
    ['an operation has another tag', (d) => (get(d).tags = ['Lists']), 'GET /items: tag Search is removed'],
    ['a list is written in another way', (d) => (get(d).parameters[2].explode = false), 'parameter tag: explode has changed'],
    ['a header has another type', (d) => (get(d).responses[200].headers.ETag.schema.type = 'integer'), 'header ETag: type string became'],
    ['a header may be absent', (d) => delete get(d).responses[200].headers.ETag.required, 'header ETag: no longer always there'],
    ['a type has no name any more', (d) => (upload(d).properties.parent = { type: 'object' }), '.parent: is no longer a Upload'],
    [
      'the values of a map are narrower',
      (d) => (upload(d).properties.counts.additionalProperties.maximum = 9),
      '.counts.*: maximum is lower',
    ],
    [
      'a token is sent in another way',
      (d) => (d.components.securitySchemes.bearer.scheme = 'basic'),
      'security scheme bearer: scheme has changed',
    ],
    ['operations need no token, or another one', (d) => (d.security = []), 'the API needs another token'],
    ['the API has another address', (d) => (d.servers[0].url = '/v1'), 'the first server has changed'],
    ['a schema has another name', (d) => delete d.components.schemas.Ids, 'schema Ids: removed'],
  ])('%s', (_, change, breach) => {
    const changed = api();
    change(changed);
    expect(breachesOfApi(api(), changed).join('\n')).toContain(breach);
  });

  it('in a response without alternatives, by the name of the property', () => {
    const [kept, changed] = [api(), api()];
    for (const each of [kept, changed]) {
      each.components.schemas.Page = { $ref: '#/components/schemas/Items' };
      items(each).properties.counts = { type: 'object', additionalProperties: { type: 'integer' } };
    }
    delete items(changed).properties.counts.additionalProperties;
    items(changed).required.pop();
    delete items(changed).properties.state;
    idOf(changed).type = 'number';
    expect(breachesOfApi(kept, changed)).toEqual([
      'GET /items, 200.items[].id: type integer became number',
      'GET /items, 200.state: removed',
      'GET /items, 200.counts.*: type integer became any',
      'GET /items, 200.next: no longer always there',
    ]);
  });
});

describe('what breaks no caller of an API is permitted:', () => {
  it.each<[string, (document: Json) => void]>([
    ['nothing', () => undefined],
    ['a path', (d) => (d.paths['/users'] = d.paths['/items'])],
    ['a method', (d) => (d.paths['/items'].put = post(d))],
    ['an optional parameter', (d) => get(d).parameters.push({ name: 'q', in: 'query', schema: {} })],
    ['a status', (d) => (get(d).responses[503] = {})],
    ['a header', (d) => (get(d).responses[200].headers.Link = { schema: {} })],
    ['an optional property of a body', (d) => (upload(d).properties.more = { type: 'string' })],
    ['a property of a response', (d) => (items(d).properties.more = { type: 'string' })],
    ['a value of a parameter', (d) => get(d).parameters[1].schema.enum.push('best')],
    ['a value of a response', (d) => items(d).properties.state.enum.push('blocked')],
    ['a larger maximum', (d) => (get(d).parameters[0].schema.maximum = 500)],
    ['no maximum', (d) => delete get(d).parameters[0].schema.maximum],
    ['a further type in a body', (d) => (upload(d).properties.name.type = ['string', 'null'])],
    ['a number in place of an integer in a body', (d) => (upload(d).properties.score.type = ['number', 'null'])],
    ['an alternative in a body', (d) => upload(d).properties.picture.anyOf.push({ type: 'array' })],
    ['a property of a response that is always there', (d) => items(d).required.push('state')],
    ['a schema', (d) => (d.components.schemas.More = {})],
    ['other words', (d) => (get(d).description = 'All items.')],
  ])('%s', (_, change) => {
    const changed = api();
    change(changed);
    expect(breachesOfApi(api(), changed)).toEqual([]);
  });
});

describe('of the types of a client, what an operation did not take', () => {
  const kept = ['Count.path: {}', 'Count.query?: never'];

  it.each<[string, string[], string[]]>([
    ['may become an option', ['Count.path: {}', 'Count.query?: {}', 'Count.query?.key?: string'], []],
    ['does not become what it needs', ['Count.path: {}', 'Count.query: {}', 'Count.query.key: string'], ['Count.query?: never']],
    ['is not taken away', ['Count.path: {}'], ['Count.query?: never']],
    ['permits nothing else', ['Count.path?: {}', 'Count.query?: never'], ['Count.path: {}']],
  ])('%s', (_, current, breaches) => {
    expect(breachesOfTypes(kept, current)).toEqual(breaches);
  });
});
