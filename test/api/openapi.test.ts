import { beforeAll, describe, expect, it } from '@jest/globals';
import { editSchema, uploadSchema } from '@ugc/items/fields/upload-schema';
import { openApiDocument } from '@ugc/api/endpoints/openapi';
import { toOpenApi30 } from '@ugc/api/endpoints/openapi-3.0';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { declared as declaredBy } from '../support/database/declared-fields.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { defaultEnv } from '../support/processes/default-env.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { untilCountedInRedis } from '../support/servers/redis.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { png } from '../support/database/images.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';

const UPLOAD = { creatorId: 1, name: 'x', description: '', version: 1, data: '' };
/** The statuses of errors whose `detail` is always the one of the example. */
const HAS_FIXED_DETAIL = new Set([400, 404, 412, 413, 415, 422]);
const LIMITS = { NAME_MAX_CHARACTERS: 11, DESCRIPTION_MAX_CHARACTERS: 12, DATA_MAX_CHARACTERS: 13, TAGS_MAX: 4, TAG_MAX_CHARACTERS: 15, THUMBNAIL_MAX_BYTES: 300, PAGE_MAX_SIZE: 16 }; // prettier-ignore

/** Those of a schema in OpenAPI 3.0 but for choices, which generators of clients read each in its own way, and for `type`. */
const KEYWORDS_OF_30 = new Set([
  ...['title', 'description', 'format', 'default', 'example', 'enum', 'nullable', 'deprecated', 'readOnly', 'writeOnly', '$ref'],
  ...['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'pattern'],
  ...['items', 'minItems', 'maxItems', 'uniqueItems', 'properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
]);
const IS_SCHEMA = /\/(schema|items|additionalProperties|properties\/[^/]+|components\/schemas\/[^/]+)$/;

describe('the OpenAPI document', () => {
  const api = forAllTests(() => startApiAlone());
  let document: any;
  let ajv: Ajv2020;
  beforeAll(async () => {
    document = (await api.client.request('GET', '/openapi.json')).body;
    ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, keywords: ['example'] });
    (formats as unknown as (on: Ajv2020) => void)(ajv);
    ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'paths', 'components', 'security']);
    ajv.addSchema({ $id: 'document', ...document });
  });

  const toPointer = (...steps: string[]): string => steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  const validatorAt = (...steps: string[]): ValidateFunction => {
    const validate = ajv.getSchema(`document#${encodeURI(toPointer(...steps))}`);
    if (!validate) throw new Error(`there is no schema at ${steps.join(' ')}`);
    return validate;
  };
  const operations = (): [path: string, method: string, operation: any][] =>
    Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, string, any] => [path, method, operation]),
    );

  it('is OpenAPI 3.1 and needs no token', async () => {
    const response = await api.client.request('GET', '/openapi.json');
    expect(response).toMatchObject({
      status: 200,
      body: { openapi: expect.stringMatching(/^3\.1\.\d+$/), info: { title: expect.any(String), version: expect.any(String) } },
    });
    expect(Object.keys(document).sort()).toEqual(['components', 'info', 'openapi', 'paths', 'security', 'servers', 'tags']);
    expect(document.servers).toMatchObject([{ url: '/' }]);
  });

  it('has valid schemas and no broken references', () => {
    for (const name of Object.keys(document.components.schemas)) validatorAt('components', 'schemas', name);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
    expect(references.length).toBeGreaterThan(10);
    for (const name of references) expect(Object.keys(document.components.schemas)).toContain(name);
  });

  it('has operations with a summary, two sentences and an example, described responses and all path parameters', () => {
    for (const [path, method, operation] of operations()) {
      expect(operation.summary).toMatch(/\S/);
      const [text = '', example = '', ...more] = (operation.description ?? '').split(/\n\n```http\n|\n```$/);
      expect({ path, text, more }).toEqual({ path, text: expect.stringMatching(/^[A-Z].+[.;:] .+\.$/), more: [''] });
      expect(example).toMatch(new RegExp(`^${method.toUpperCase()} ${path.replace(/\{\w+\}/, '42')}`));
      for (const [status, response] of Object.entries<any>(operation.responses)) {
        expect(status).toMatch(/^[2-5]\d\d$/);
        expect(response.description).toMatch(/\S/);
      }
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const documented = (operation.parameters ?? []).filter((parameter: any) => parameter.in === 'path');
      expect(documented.map(({ name }: any) => name)).toEqual(inPath);
      for (const parameter of documented) expect(parameter.required).toBe(true);
    }
    const ids = operations().map(([, , { operationId }]) => operationId);
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[a-z][A-Za-z]+$/)));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has every operation in one of its groups', () => {
    const groups = document.tags.map(({ name }: any) => name);
    const used = operations().flatMap(([, , { tags }]) => tags);
    expect(used.length).toBe(operations().length);
    expect([...new Set(used)].sort()).toEqual(groups.toSorted());
    for (const { description } of document.tags) expect(description).toMatch(/\S/);
  });

  describe('says of every schema', () => {
    const schemas = (): any[] => {
      const within = (value: unknown): any[] =>
        value !== null && typeof value === 'object' ? [value, ...Object.values(value).flatMap(within)] : [];
      const inOperations = operations().flatMap(([, , { parameters = [], requestBody, responses }]) => [
        ...parameters.map(({ schema }: any) => schema),
        ...[requestBody, ...Object.values<any>(responses)].flatMap((message) => [
          ...Object.values<any>(message?.content ?? {}).map(({ schema }) => schema),
          ...Object.values<any>(message?.headers ?? {}).map(({ schema }) => schema),
        ]),
      ]);
      return [...inOperations, ...Object.values<any>(document.components.schemas)].flatMap(within);
    };

    it('whether an object may have further properties', () => {
      const objects = schemas().filter(({ type }) => type === 'object');
      expect(objects.length).toBeGreaterThan(20);
      // Those of a map have a schema.
      for (const { additionalProperties } of objects)
        expect([true, 'object']).toContain(additionalProperties === true || typeof additionalProperties);
    });

    it('the bounds of an integer, and whether it needs more than 32 bits', () => {
      const integers = schemas().filter(({ type }) => type === 'integer');
      expect(integers.length).toBeGreaterThan(20);
      for (const schema of integers) {
        expect(schema.minimum).toBeGreaterThanOrEqual(0);
        expect(schema.format).toBe((schema.maximum ?? 0) > 2_147_483_647 ? 'int64' : 'int32');
      }
    });
  });

  // With a choice of types, or a default within, clients of openapi-generator for Go and Java do not compile or cannot list.
  it('says of every parameter one type, without a choice, and a default only of the whole', () => {
    const keywordsIn = (value: unknown): string[] =>
      value !== null && typeof value === 'object' ? Object.entries(value).flatMap(([key, part]) => [key, ...keywordsIn(part)]) : [];
    const schemas = operations().flatMap(([, , { parameters = [] }]) => parameters.map(({ schema }: any) => schema));
    expect(schemas.length).toBeGreaterThan(60);
    for (const { default: _whole, examples: _examples, ...schema } of schemas) {
      expect([schema.type, schema.items?.type ?? 'string']).toEqual([expect.any(String), expect.any(String)]);
      for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', 'default']) expect(keywordsIn(schema)).not.toContain(keyword);
    }
  });

  // Clients of openapi-generator for Go have all values as constants of one package, and do not compile with two of a name.
  it('has no schema with a property of its name and values of its own: generators make a type of both, in one file', () => {
    for (const [name, { properties = {} }] of Object.entries<any>(document.components.schemas)) {
      const named = Object.entries<any>(properties).filter(([property]) => property.toLowerCase() === name.toLowerCase());
      expect(named.filter(([, schema]) => schema.enum)).toEqual([]);
    }
  });

  it('has no value in two enumerations with a name', () => {
    const values = Object.values<any>(document.components.schemas).flatMap(({ enum: all = [] }) => all.map((value: string) => value.toUpperCase())); // prettier-ignore
    expect(values.length).toBeGreaterThan(10);
    expect(values.filter((value, n) => values.indexOf(value) !== n)).toEqual([]);
  });

  describe('has a form for generators, which', () => {
    let older: any;
    beforeAll(async () => {
      older = (await api.client.request('GET', '/openapi-3.0.json')).body;
    });
    const partsOf = (value: any, at = ''): [string, any][] =>
      value === null || typeof value !== 'object' ? [] : [[at, value], ...Object.entries(value).flatMap(([key, part]) => partsOf(part, `${at}/${key}`))] as [string, any][]; // prettier-ignore
    const isData = (at: string): boolean => /\/(examples?|default)(\/|$)/.test(at);

    it('is OpenAPI 3.0, with the same operations, parameters, statuses and names of schemas', () => {
      expect(older.openapi).toBe('3.0.3');
      const namesOf = ({ paths, components }: any): unknown[] => [
        ...Object.entries<any>(paths).flatMap(([path, methods]) =>
          Object.entries<any>(methods).map(([method, { operationId, parameters = [], responses }]) =>
            JSON.stringify([path, method, operationId, parameters.map(({ name }: any) => name), Object.keys(responses)]),
          ),
        ),
        ...Object.keys(components.schemas),
      ];
      expect(namesOf(older)).toEqual(expect.arrayContaining(namesOf(document)));
    });

    // Generators for Rust, TypeScript and PHP make one object of a choice, of the properties of its last part.
    it('has in its schemas only words of 3.0, and neither a choice nor a list of types, also with declared fields', () => {
      const declared = declaredBy({
        licence: { type: 'keyword', values: ['MIT'] },
        build: { type: 'group', many: true, of: { game: 'version', players: 'number' } },
      });
      const schemas = [older, toOpenApi30(openApiDocument(defaultEnv(), '', declared))].flatMap((each) =>
        partsOf(each).filter(([at]) => !isData(at) && IS_SCHEMA.test(at)),
      );
      expect(schemas.length).toBeGreaterThan(1_000);
      const wrong = schemas.flatMap(([at, { type = 'string', ...schema }]) => {
        const unknown = Object.keys(schema).filter((keyword) => !KEYWORDS_OF_30.has(keyword));
        return unknown.length > 0 || typeof type !== 'string' || type === 'null' ? [{ at, unknown, type }] : [];
      });
      expect(wrong).toEqual([]);
    });

    it('has nothing beside a reference, which validators of 3.0 refuse', () => {
      const references = partsOf(older).filter(([at, part]) => !isData(at) && '$ref' in part);
      expect(references.length).toBeGreaterThan(50);
      expect(references.filter(([, part]) => Object.keys(part).length > 1).map(([at]) => at)).toEqual([]);
    });

    it('describes each page of a list and each item in it: what all kinds of pages have is required, and all else may be there', () => {
      const { schemas } = older.components;
      const page = schemas.AnyContentPage;
      const kinds = document.components.schemas.AnyContentPage.anyOf.map(
        ({ $ref }: any) => document.components.schemas[$ref.split('/').at(-1)],
      );
      expect(kinds.length).toBeGreaterThan(2);
      for (const kind of kinds) {
        expect(Object.keys(page.properties)).toEqual(expect.arrayContaining(Object.keys(kind.properties)));
        expect(kind.required).toEqual(expect.arrayContaining(page.required));
      }
      expect(page.properties.totalElements).toBeDefined();
      expect(page.required).not.toContain('totalElements');
      const item = schemas[page.properties.content.items.$ref.split('/').at(-1)];
      expect(Object.keys(item.properties)).toEqual(expect.arrayContaining(Object.keys(schemas.ContentItem.properties)));
      expect(item.required).not.toContain('data');
    });
  });

  it('lists the sort keys, all of which a list accepts', async () => {
    const { enum: keys } = document.components.schemas.SortKey;
    expect(keys).toEqual(expect.arrayContaining(['relevance', 'name,asc', 'updatedAt,desc']));
    expect(new Set(keys).size).toBe(42);
    for (const key of keys)
      expect({ key, status: (await api.client.get(`/api/content?sort=${key}`)).status }).not.toMatchObject({ status: 400 });
  });

  it.each(['name', 'name,asc', 'name,DESC', 'name,aSc', 'name,up', 'NAME', 'name,', 'name,asc,desc', 'score', 'data'])(
    'agrees with the validation of the sort key %s',
    async (key) => {
      const position = document.paths['/api/content'].get.parameters.findIndex(({ name }: any) => name === 'sort');
      const isValid = validatorAt('paths', '/api/content', 'get', 'parameters', String(position), 'schema')([key]);
      expect(isValid).toBe((await api.client.get(`/api/content?sort=${key}`)).status !== 400);
    },
  );

  it.each(['true', 'false', 'TRUE', '1', 'yes'])('agrees with the validation of the boolean %s', async (text) => {
    const { schema } = document.paths['/api/content'].get.parameters.find(({ name }: any) => name === 'highlight');
    const value = ['true', 'false'].includes(text) ? JSON.parse(text) : text;
    expect(ajv.validate(schema, value)).toBe((await api.client.get(`/api/content?highlight=${text}`)).status !== 400);
  });

  it('describes exactly the methods that each path supports', async () => {
    for (const [path, methods] of Object.entries<object>(document.paths)) {
      const { status, headers } = await api.client.send('OPTIONS', path.replace(/\{\w+\}/, '1'));
      const documented = Object.keys(methods).flatMap((method) => (method === 'get' ? ['HEAD', 'GET'] : method.toUpperCase()));
      expect({ path, status, allow: headers.get('allow') }).toEqual({ path, status: 200, allow: documented.join(', ') });
    }
  });

  it('requires a token for exactly the operations that check one', async () => {
    for (const [path, method, operation] of operations()) {
      const response = await api.client.request(method.toUpperCase(), path.replace(/\{\w+\}/, '1'));
      expect({ path, open: response.status !== 403 }).toEqual({ path, open: operation.security?.length === 0 });
      if (response.status === 403) expect(operation.responses).toHaveProperty('403');
    }
  });

  it('has an example of every body, and examples and defaults that match their schemas', () => {
    let examples = 0;
    const check = (value: unknown, ...steps: string[]): void => {
      const validate = validatorAt(...steps, 'schema');
      examples += 1;
      expect({ at: steps, valid: validate(value), errors: validate.errors }).toEqual({ at: steps, valid: true, errors: null });
    };
    for (const [path, method, operation] of operations()) {
      const at = ['paths', path, method];
      for (const [status, { content }] of Object.entries<any>(operation.responses))
        for (const [type, { example, examples = { example: { value: example } } }] of Object.entries<any>(content ?? {}))
          if (!type.startsWith('image/'))
            for (const { value } of Object.values<any>(examples)) check(value, ...at, 'responses', status, 'content', type);
      for (const [type, { example }] of Object.entries<any>(operation.requestBody?.content ?? {}))
        check(example, ...at, 'requestBody', 'content', type);
      for (const [position, { example, schema }] of Object.entries<any>(operation.parameters ?? [])) {
        for (const value of [...(schema.examples ?? []), ...(example === undefined ? [] : [example])])
          check(value, ...at, 'parameters', position);
        if (schema.default !== undefined) check(schema.default, ...at, 'parameters', position);
      }
    }
    expect(examples).toBeGreaterThanOrEqual(100);
  });

  it('has an example upload that the API accepts', async () => {
    const { example } = document.paths['/content'].post.requestBody.content['application/json'];
    expect((await api.client.post('/content', example)).status).toBe(201);
  });

  it('documents the configured limits of fields and parameters', () => {
    const { paths, components } = openApiDocument({ ...defaultEnv(), ...LIMITS }) as any;
    const limitsOf = ({ schemas: { Upload } }: any, list: any): Record<string, number> => ({
      NAME_MAX_CHARACTERS: Upload.properties.name.maxLength,
      DESCRIPTION_MAX_CHARACTERS: Upload.properties.description.maxLength,
      DATA_MAX_CHARACTERS: Upload.properties.data.maxLength,
      // The alternative is null.
      TAGS_MAX: Upload.properties.tags.anyOf[0].maxItems,
      TAG_MAX_CHARACTERS: Upload.properties.tags.anyOf[0].items.maxLength,
      // Line breaks in base64 do not count, so the limit is not one of characters.
      THUMBNAIL_MAX_BYTES: Number(/(\d+) bytes/.exec(JSON.stringify(Upload.properties.thumbnail))?.[1]),
      PAGE_MAX_SIZE: list.find(({ name }: any) => name === 'size').schema.maximum,
    });
    expect(limitsOf(components, paths['/api/content'].get.parameters)).toEqual(LIMITS);
    expect(limitsOf(document.components, document.paths['/api/content'].get.parameters)).toEqual({
      NAME_MAX_CHARACTERS: 200, DESCRIPTION_MAX_CHARACTERS: 10_000, DATA_MAX_CHARACTERS: 262_144, TAGS_MAX: 32, TAG_MAX_CHARACTERS: 64, THUMBNAIL_MAX_BYTES: 524_288, PAGE_MAX_SIZE: 200,
    }); // prettier-ignore
    expect(document.components.schemas.Upload.properties).toMatchObject({
      creatorId: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      version: { type: 'integer', minimum: 0, maximum: 2_147_483_647 },
      name: { type: 'string', minLength: 1 },
      tags: { anyOf: [{ items: { minLength: 1 } }, { type: 'null' }] },
    });
    expect(document.components.schemas.Upload.required.toSorted()).toEqual(['creatorId', 'data', 'description', 'name', 'version']);
  });

  describe('agrees with the validation of', () => {
    const PNG = png().toString('base64');
    const VALUES: Record<string, unknown[]> = {
      thumbnail: ['', 'data:image/png;base64,', 'no image!', `${PNG}\n`, PNG.replace(/=*$/, '===='), 'AB==', 'AAB=', PNG, PNG.replace(/=+$/, ''), `data:image/jpg;base64,${PNG}`, `data:image/png;base64,${PNG}`, `data:text/html;base64,${PNG}`, 7, null],
      name: ['', ' ', '\ufeff', '\u0085', '\u200b', '\u3164\u2800', '\u3000\t', ' x ', 'a\0b', '\0', 'x'.repeat(200), 'x'.repeat(201), '😀'.repeat(200), '😀'.repeat(201), 7, null],
      description: ['', '\0', 'x'.repeat(10_001), null],
      data: ['', 'a\0', null],
      tags: [[], ['a'], [''], [' '], ['\u00ad'], ['a\0'], ['x'.repeat(65)], Array.from({ length: 33 }, () => 'a'), 'a', {}, [7], null],
      fileName: ['', 'a.txt', '.', '..', '...', '.gitignore', 'a/b', 'a\\b', 'a\nb', 'a\x7fb', 'a\x85b', 'a\u202etxt.exe', ' ', '\u200b', '👩‍👩‍👧 e\u0301.txt', 'x'.repeat(255), 'x'.repeat(256), '😀'.repeat(255), 7, null],
      version: [0, -1, 1.5, '1', 2_147_483_647, 2_147_483_648, null],
    }; // prettier-ignore
    const CASES = Object.entries(VALUES).flatMap(([field, values]) =>
      values.map((value): [string, string, unknown] => [field, JSON.stringify(value).slice(0, 40), value]),
    );
    const isValid = (schema: string, body: unknown): boolean => Boolean(validatorAt('components', 'schemas', schema)(body));

    it.each([...CASES, ['creatorId', 'null', null], ['creatorId', '-1', -1]])('the upload field %s: %s', (field, _, value) => {
      const body = { ...UPLOAD, [field]: value };
      expect(isValid('Upload', body)).toBe(uploadSchema(defaultEnv()).safeParse(body).success);
    });

    it.each(CASES)('the edit field %s: %s', (field, _, value) => {
      expect(isValid('Edit', { [field]: value })).toBe(editSchema(defaultEnv()).safeParse({ [field]: value }).success);
    });

    it.each([null, 0, 1, 5, 6, 1.5, '1'])('a rating with the score %j', async (score) => {
      const { status } = await api.client.send('PUT', `/api/content/${await api.client.upload()}/rating`, { score }, 2);
      expect(isValid('Rating', { score })).toBe(status === 204);
    });

    it.each([
      ['prompt', 'a%00b'],
      ['tags', 'a%00b'],
    ])('U+0000 in the parameter %s', async (parameter, value) => {
      expect((await api.client.get(`/api/content?${parameter}=${value}`)).status).toBe(400);
      const { schema } = document.paths['/api/content'].get.parameters.find(({ name }: any) => name === parameter);
      expect(ajv.validate(schema.items ?? schema, decodeURIComponent(value))).toBe(false);
      expect(ajv.validate(schema.items ?? schema, 'a b')).toBe(true);
    });

    it.each(['createdFrom', 'createdTo', 'updatedFrom', 'updatedTo'])(
      'times in the parameter %s, which may be empty',
      async (parameter) => {
        const { schema } = document.paths['/api/content'].get.parameters.find(({ name }: any) => name === parameter);
        for (const value of [
          '',
          '2026-11-20',
          '2026-11-20T09:30:00Z',
          '2026-11-20T09:30:00.123%2B0100',
          '2026-11-20T09:30',
          '2026',
          'yesterday',
        ]) {
          const { status } = await api.client.get(`/api/content?${parameter}=${value}`);
          expect({ value, valid: ajv.validate(schema, decodeURIComponent(value)) }).toEqual({ value, valid: status !== 400 });
        }
      },
    );

    it('the header Idempotency-Key of an upload', async () => {
      const { schema } = document.paths['/content'].post.parameters.find(({ name }: any) => name === 'Idempotency-Key');
      for (const key of ['a', 'x'.repeat(255), 'x'.repeat(256), 'a b', 'é']) {
        const { status } = await api.client.send('POST', '/content', UPLOAD, 1, { 'idempotency-key': key });
        expect({ key, valid: ajv.validate(schema, key) }).toEqual({ key, valid: status !== 400 });
      }
    });
  });

  it('documents 408 for a slow body in every operation with a body', () => {
    const withBody = operations().filter(([, , operation]) => operation.requestBody);
    expect(withBody.length).toBe(5);
    for (const [, , operation] of withBody) expect(operation.responses[408].description).toMatch(/^- `too-slow`: /);
  });

  it.each([17_000, 70_000, 2_000_000])('responds to a body of %i bytes in every operation, and never with an internal error', async (length) => {
    for (const [path, method, operation] of operations()) {
      if (!operation.requestBody) continue;
      const body = JSON.stringify({ extra: 'x'.repeat(length) });
      const headers = { 'content-type': 'application/json' };
      const token = await tokenOf(1, { scope: 'content:moderate' });
      const { status, body: problem } = await api.client.request(method.toUpperCase(), path.replace(/\{\w+\}/, '1'), { token, body, headers });
      const isSmall = /hidden|rating|review/.test(path);
      expect([path, status, isSmall && problem.detail]).toEqual([path, isSmall ? 413 : method === 'patch' ? expect.any(Number) : 400, isSmall && expect.stringContaining('16384')]);
      expect(status).toBeLessThan(500);
    }
  }); // prettier-ignore

  describe('documents every response:', () => {
    type Call = {
      method: string;
      path: string;
      query?: string;
      user?: number;
      scope?: string;
      body?: string;
      type?: string;
      headers?: Record<string, string>;
    };
    const call = async ({
      method,
      path,
      query = '',
      user,
      scope = '',
      body,
      type = 'application/json',
      headers = {},
    }: Call): Promise<ApiResponse> =>
      api.client.request(method, path + query, {
        token: user === undefined ? undefined : await tokenOf(user, { scope }),
        ...(body !== undefined && { body }),
        headers: { ...headers, ...(body !== undefined && { 'content-type': type }) },
      });

    function expectDocumented(method: string, path: string, response: ApiResponse): void {
      const { content, headers = {} } = document.paths[path][method.toLowerCase()].responses[response.status];
      if ('Retry-After' in headers) expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      if (response.headers.has('location')) expect(headers).toHaveProperty('Location');
      if (content === undefined) return expect(response.text).toBe('');
      const type = response.headers.get('content-type')?.split(';')[0] ?? '';
      if (type === 'application/problem+json') {
        const example = content[type].examples[response.body.type.replace('/docs#', '')];
        expectLike(example?.value, response.body, path);
      }
      if (type.startsWith('image/')) return expect(Object.keys(content)).toContain(type);
      const validate = validatorAt('paths', path, method.toLowerCase(), 'responses', String(response.status), 'content', type, 'schema');
      expect({ valid: validate(response.body), errors: validate.errors }).toEqual({ valid: true, errors: null });
      expect(undocumented(response.body, path, method, response.status, type)).toEqual([]);
    }

    /** Compares what does not depend on the request. */
    function expectLike(example: any, sent: any, path: string): void {
      const fixed = ({ type, title, status }: any): object => ({ type, title, status });
      expect(fixed(sent)).toEqual(fixed(example));
      expect(sent.instance).toMatch(new RegExp(`^${path.replace(/\{\w+\}/, '[^/]+')}$`));
      expect(example.instance).toBe(path.replace(/\{\w+\}/, '42'));
      // Not every error has a code, and not every code has values.
      const always = ({ code, values, ...others }: any): string[] => Object.keys(others);
      const kinds = ({ errors = [] }: any): string[] => [...new Set(errors.flatMap(always) as string[])].sort();
      expect(kinds(sent)).toEqual(kinds(example));
      if (HAS_FIXED_DETAIL.has(sent.status)) expect(sent.detail).toBe(example.detail);
    }

    /** @returns the properties of a body that its schema does not declare, or the alternative that declares most of them */
    function undocumented(body: unknown, path: string, method: string, status: number, type: string): string[] {
      if (path.startsWith('/openapi')) return [];
      const visit = (value: unknown, schema: any, at: string): string[] => {
        const resolved = schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
        const alternatives = resolved?.anyOf?.map((each: any) => visit(value, each, at)) as string[][] | undefined;
        if (alternatives) return alternatives.reduce((one, other) => (other.length < one.length ? other : one));
        if (Array.isArray(value)) return value.flatMap((item, n) => visit(item, resolved?.items, `${at}/${n}`));
        if (value === null || typeof value !== 'object') return resolved ? [] : [at];
        return Object.entries(value).flatMap(([name, each]) =>
          visit(each, resolved?.properties?.[name] ?? resolved?.additionalProperties, `${at}/${name}`),
        );
      };
      return visit(body, document.paths[path][method.toLowerCase()].responses[status].content[type].schema, '');
    }

    const big = JSON.stringify({ ...UPLOAD, extra: 'x'.repeat(2_097_152) });
    const unstorable = `\0\ud800${'x'.repeat(63)}`;
    const manyProblems = JSON.stringify({ ...UPLOAD, version: -1, name: '\0\ud800'.repeat(101), description: '\0\ud800', tags: Array.from({ length: 32 }, () => unstorable) }); // prettier-ignore
    const good = JSON.stringify({ ...UPLOAD, tags: ['a'], thumbnail: png().toString('base64') });
    beforeAll(async () => {
      const alias = api.env['CONTENT_ALIAS'] ?? '';
      await api.client.upload();
      await api.client.send('POST', '/content', UPLOAD, 1, { 'idempotency-key': 'used' });
      await api.elasticsearch.indices.create({ index: `${alias}-v1`, ...INDEX_BODY, aliases: { [alias]: {} } });
      const item = (await api.client.get('/api/content/1')).body;
      const document = { ...item, avgRating: 4.5, tags: ['a'], nameSort: 'x', creatorNameSort: 'ada', deleted: false };
      await api.elasticsearch.index({ index: `${alias}-v1`, document, refresh: true });
    });

    it.each<[number, Call]>([
      [200, { method: 'GET', path: '/api/content', user: 1 }],
      [200, { method: 'GET', path: '/api/content', query: '?page=7&sort=name', user: 1 }],
      [200, { method: 'GET', path: '/api/content', query: '?fields=summary', user: 1 }],
      [200, { method: 'GET', path: '/api/content', query: '?totals=false', user: 1 }],
      [200, { method: 'GET', path: '/api/content', query: '?totals=false&fields=summary', user: 1 }],
      [400, { method: 'GET', path: '/api/content', query: '?page=-1&sort=x&prompt=%FF', user: 1 }],
      [403, { method: 'GET', path: '/api/content' }],
      [200, { method: 'GET', path: '/api/content/facets', query: '?prompt=x', user: 1 }],
      [400, { method: 'GET', path: '/api/content/facets', query: '?tagPrefix=%00', user: 1 }],
      [403, { method: 'GET', path: '/api/content/facets' }],
      [200, { method: 'GET', path: '/api/content/suggest', query: '?prompt=x', user: 1 }],
      [200, { method: 'GET', path: '/api/content/suggest', query: '?prompt=xylophoen', user: 1 }],
      [400, { method: 'GET', path: '/api/content/suggest', query: '?prompt=%00', user: 1 }],
      [403, { method: 'GET', path: '/api/content/suggest' }],
      [200, { method: 'GET', path: '/api/content/{id}/similar', query: '?include=tags', user: 1 }],
      [400, { method: 'GET', path: '/api/content/{id}/similar', query: '?size=21', user: 1 }],
      [403, { method: 'GET', path: '/api/content/{id}/similar' }],
      [200, { method: 'GET', path: '/api/content/{id}', user: 1 }],
      [403, { method: 'GET', path: '/api/content/{id}' }],
      [201, { method: 'POST', path: '/content', user: 1, body: good }],
      [400, { method: 'POST', path: '/content', user: 1, body: '{"name":7}' }],
      [400, { method: 'POST', path: '/content', user: 1, body: '{' }],
      [400, { method: 'POST', path: '/content', user: 1, body: manyProblems }],
      [403, { method: 'POST', path: '/content', user: 2, body: good }],
      [403, { method: 'POST', path: '/content', body: good }],
      [413, { method: 'POST', path: '/content', user: 1, body: big }],
      [415, { method: 'POST', path: '/content', user: 1, body: good, type: 'text/plain' }],
      [400, { method: 'GET', path: '/api/content', query: '?tags=a%00&creatorId=x&minRating=6&include=y', user: 1 }],
      [200, { method: 'GET', path: '/api/content/{id}', query: '?include=tags', user: 1 }],
      [304, { method: 'GET', path: '/api/content/{id}', user: 1, headers: { 'if-none-match': '*' } }],
      [400, { method: 'GET', path: '/api/content/{id}', query: '?include=y', user: 1 }],
      [422, { method: 'POST', path: '/content', user: 1, body: good, headers: { 'idempotency-key': 'used' } }],
      [200, { method: 'PATCH', path: '/api/content/{id}', user: 1, body: '{"tags":null}', type: 'application/merge-patch+json' }],
      [400, { method: 'PATCH', path: '/api/content/{id}', user: 1, body: '{"name":null}' }],
      [403, { method: 'PATCH', path: '/api/content/{id}', user: 2, body: '{}' }],
      [412, { method: 'PATCH', path: '/api/content/{id}', user: 1, body: '{}', headers: { 'if-match': '"9.9"' } }],
      [413, { method: 'PATCH', path: '/api/content/{id}', user: 1, body: big }],
      [415, { method: 'PATCH', path: '/api/content/{id}', user: 1, body: '{}', type: 'text/plain' }],
      [403, { method: 'DELETE', path: '/api/content/{id}', user: 2 }],
      [412, { method: 'DELETE', path: '/api/content/{id}', user: 1, headers: { 'if-match': '"9.9"' } }],
      [204, { method: 'PUT', path: '/api/content/{id}/rating', user: 2, body: '{"score":4}' }],
      [403, { method: 'PUT', path: '/api/content/{id}/rating', user: 1, body: '{"score":4}' }],
      [200, { method: 'GET', path: '/api/content/{id}/rating', user: 1 }],
      [200, { method: 'GET', path: '/api/content/{id}/rating', user: 2 }],
      [400, { method: 'PUT', path: '/api/content/{id}/rating', user: 1, body: '{"score":6}' }],
      [403, { method: 'PUT', path: '/api/content/{id}/rating', user: 999, body: '{"score":4}' }],
      [204, { method: 'DELETE', path: '/api/content/{id}/rating', user: 1 }],
      [204, { method: 'POST', path: '/api/content/{id}/downloads', user: 1 }],
      [404, { method: 'GET', path: '/api/content/{id}/thumbnail', user: 1 }],
      [200, { method: 'GET', path: '/api/content/{id}/index-status', user: 1 }],
      [400, { method: 'PUT', path: '/api/content/{id}/hidden', user: 1, scope: 'content:moderate', body: '{"reason":""}' }],
      [403, { method: 'PUT', path: '/api/content/{id}/hidden', user: 1, body: '{"reason":"x"}' }],
      [204, { method: 'PUT', path: '/api/content/{id}/hidden', user: 1, scope: 'content:moderate', body: '{"reason":"x"}' }],
      [200, { method: 'GET', path: '/api/content/{id}', user: 1 }],
      [200, { method: 'GET', path: '/api/content/hidden', user: 1 }],
      [400, { method: 'GET', path: '/api/content/hidden', query: '?size=0', user: 1 }],
      [403, { method: 'PATCH', path: '/api/content/{id}', user: 1, body: '{}' }],
      [403, { method: 'POST', path: '/content', user: 999, body: '{"creatorId":999,"name":"x","description":"","version":1,"data":""}' }],
      [400, { method: 'POST', path: '/content', user: 1, body: good, headers: { 'idempotency-key': 'a b' } }],
      [403, { method: 'DELETE', path: '/api/content/{id}/hidden', user: 1 }],
      [204, { method: 'DELETE', path: '/api/content/{id}/hidden', user: 1, scope: 'content:moderate' }],
      [200, { method: 'GET', path: '/health/live' }],
      [200, { method: 'GET', path: '/health/ready' }],
      [200, { method: 'GET', path: '/openapi.json' }],
      [304, { method: 'GET', path: '/openapi.json', headers: { 'if-none-match': '*' } }],
      [200, { method: 'GET', path: '/openapi-3.0.json' }],
      [304, { method: 'GET', path: '/openapi-3.0.json', headers: { 'if-none-match': '*' } }],
    ])('status %i of the request %j', async (status, given) => {
      const response = await call({ ...given, path: given.path.replace(/\{\w+\}/, '1') });
      expect(response.status).toBe(status);
      expectDocumented(given.method, given.path, response);
    });

    it.each([
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/rating'],
      ['PUT', '/rating'],
      ['DELETE', '/rating'],
      ['POST', '/downloads'],
      ['PUT', '/hidden'],
      ['DELETE', '/hidden'],
      ['GET', '/thumbnail'],
      ['GET', '/index-status'],
      ['GET', '/similar'],
    ])('status 404 of %s /api/content/999999%s', async (method, path) => {
      const response = await call({
        method,
        path: `/api/content/999999${path}`,
        user: 1,
        scope: 'content:moderate',
        ...(method.startsWith('P') && { body: '{"score":1,"reason":"x"}' }),
      });
      expect(response.status).toBe(404);
      expectDocumented(method, `/api/content/{id}${path}`, response);
    });

    it('the image of a thumbnail and status 204 of a deletion', async () => {
      const id = await api.client.upload({ thumbnail: png().toString('base64') });
      expectDocumented('GET', '/api/content/{id}/thumbnail', await api.client.get(`/api/content/${id}/thumbnail`));
      expectDocumented('DELETE', '/api/content/{id}', await api.client.send('DELETE', `/api/content/${id}`));
    });

    it('status 429 of every operation that requires a token, and of no other', async () => {
      const limits = ['WRITES', 'LISTS', 'READS', 'FAILED_TOKENS'].map((kind) => [`RATE_LIMIT_${kind}_PER_MINUTE`, '1']);
      const limited = await startApiAlone(Object.fromEntries(limits));
      await untilCountedInRedis(limited, 999);
      const suggestions = Array.from({ length: 10 }, () => ['GET', '/api/content/suggest'] as const);
      for (const [method, path] of [['POST', '/nowhere'], ['GET', '/api/content'], ['GET', '/nowhere'], ...suggestions] as const) await limited.client.send(method, path); // prettier-ignore
      for (const [path, method, { security }] of operations()) {
        const response = await limited.client.request(method.toUpperCase(), path.replace(/\{\w+\}/, '1'), { token: await tokenOf(1) });
        if (security) expect(response.status).not.toBe(429);
        else expect(response.status).toBe(429);
        expectDocumented(method, path, response);
      }
      await limited.stop();
    });

    it('status 500 of reads and 503 of uploads and readiness while stores are unavailable', async () => {
      const degraded = await startApiAlone({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' });
      const list = await degraded.client.list();
      expect(list.status).toBe(500);
      expectDocumented('GET', '/api/content', list);
      const one = await degraded.client.get('/api/content/1');
      expect(one.status).toBe(500);
      expectDocumented('GET', '/api/content/{id}', one);
      const upload = await degraded.client.tryUpload();
      expect(upload.status).toBe(503);
      expect(Number(upload.headers.get('retry-after'))).toBeGreaterThan(0);
      expectDocumented('POST', '/content', upload);
      await until('Redis is connected', async () => (await degraded.client.request('GET', '/health/ready')).body.stores.redis === 'up');
      const ready = await degraded.client.request('GET', '/health/ready');
      expect(ready).toMatchObject({ status: 503, body: { status: 'unavailable', stores: { postgres: 'down', redis: 'up' } } });
      expectDocumented('GET', '/health/ready', ready);
      await degraded.stop();
    });
  });
});
