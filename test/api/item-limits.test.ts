import { describe, expect, it } from '@jest/globals';
import { jsonBytes } from '@ugc/api/content/json-bytes';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { fieldsOf } from '../support/cluster/uploads.ts';
import { expectErrors } from '../support/http/problems.ts';
import { startAnotherApi } from '../support/processes/another-api.ts';
import { startService } from '../support/processes/service.ts';
import { IS_OPENSEARCH } from '../support/servers/search-engine.ts';

const LIMIT = 65_536;
const LIMITS = { ITEM_MAX_BYTES: String(LIMIT), NAME_MAX_CHARACTERS: '20', DESCRIPTION_MAX_CHARACTERS: '100', TAG_MAX_CHARACTERS: '10' };
const LIGATURE = 'ﷺ';
/** 10,000 characters, of which a list contains 60,000 and more bytes. */
const TOO_LARGE = '\u0001'.repeat(11_000);

const service = forAllTests(() => startService(LIMITS));
const upload = (fields: object) => service.client.tryUpload({ name: 'lighthouse', ...fields });

describe('an upload', () => {
  it.each([
    ['data of control characters', { data: TOO_LARGE }, '#/data'],
    ['data of emoji', { data: '🎲'.repeat(5_000) }, '#/data'],
    ['data of quotation marks', { data: '"'.repeat(30_000) }, '#/data'],
    ['data of Chinese characters', { data: '燈'.repeat(20_000) }, '#/data'],
    ['a name whose searched form is too long', { name: LIGATURE.repeat(3) }, '#/name'],
    ['a description whose searched form is too long', { description: LIGATURE.repeat(12) }, '#/description'],
    ['a tag whose searched form is too long', { tags: ['tag', LIGATURE.repeat(2)] }, '#/tags'],
  ])('with %s is 400 and names size and limit', async (_, fields, pointer) => {
    const response = await upload(fields);
    expectErrors(response, [pointer]);
    expect(response.body.errors[0].detail).toMatch(/\d+ (bytes|characters).*the maximum is \d+$/);
  });

  it.each([
    ['the most that a list may contain of it', { data: '\u0001'.repeat(9_000) }],
    ['everyday ligatures', { name: LIGATURE, description: `${LIGATURE} ﬁne ½ ㎏`, tags: ['Ⅷ'] }],
    ['letters that become two', { name: 'ß'.repeat(20), description: 'ŉ'.repeat(100) }],
  ])('with %s is stored', async (_, fields) => expect((await upload(fields)).status).toBe(201));

  it('whose first response was sent before the limits became lower still gets it', async () => {
    const key = { 'idempotency-key': 'before-the-limits' };
    const body = { creatorId: 1, version: 1, ...fieldsOf('repeated'), data: TOO_LARGE, description: LIGATURE.repeat(50) };
    const before = await startAnotherApi({ ...service.env, ITEM_MAX_BYTES: '1310720', DESCRIPTION_MAX_CHARACTERS: '10000' });
    const first = await before.client.send('POST', '/content', body, 1, key);
    await before.stop();
    expect(first.status).toBe(201);
    expect((await service.client.send('POST', '/content', body, 1, key)).text).toBe(first.text);
    expectErrors(await service.client.send('POST', '/content', body, 1, { 'idempotency-key': 'another' }), ['#/description', '#/data']);
  });
});

describe('an item that an earlier release has stored above the limits', () => {
  const store = async (): Promise<string> => {
    const large = { name: LIGATURE.repeat(3), description: LIGATURE.repeat(20), data: TOO_LARGE, tags: [LIGATURE.repeat(2)] };
    const [id] = await storeContent(service.database, [large]);
    return `/api/content/${id}`;
  };

  it('is read, listed, rated, downloaded and deleted', async () => {
    const path = await store();
    await service.indexed();
    expect((await service.client.get(path)).body.data).toBe(TOO_LARGE);
    expect((await service.client.list()).body.content).toContainEqual(expect.objectContaining({ data: TOO_LARGE }));
    expect((await service.client.send('PUT', `${path}/rating`, { score: 5 })).status).toBe(204);
    expect((await service.client.send('POST', `${path}/downloads`)).status).toBe(204);
    expect((await service.client.send('DELETE', path)).status).toBe(204);
  });

  it('may get another name, other tags and shorter texts, but no longer ones', async () => {
    const path = await store();
    const edit = (fields: object) => service.client.send('PATCH', path, fields);
    expect((await edit({ name: 'a longer name' })).status).toBe(200);
    expect((await edit({ tags: ['one', 'two'] })).status).toBe(200);
    expectErrors(await edit({ data: `${TOO_LARGE}.` }), ['#/data']);
    expectErrors(await edit({ description: LIGATURE.repeat(19) }), ['#/description']);
    expect((await edit({ data: TOO_LARGE.slice(1) })).status).toBe(200);
    expect((await edit({ data: 'short', description: 'short' })).status).toBe(200);
    expectErrors(await edit({ data: TOO_LARGE }), ['#/data']);
  });
});

describe('the bytes of an item', () => {
  const SAMPLES = {
    controls: Array.from({ length: 31 }, (_, code) => String.fromCharCode(code + 1)).join(''),
    punctuation: '"\\/<>&\'\u007f\u0080\u2028\u2029',
    letters: 'aäя燈',
    pairs: '🎲𝄞\u{10ffff}',
    signs: '\ufeff\uffff\ufffd\u200d',
  };

  it.each(Object.entries(SAMPLES))('are those of the response of Elasticsearch: %s', async (_, sample) => {
    const [plain, other] = await Promise.all([bytesWith('x'), bytesWith(`x${sample}`)]);
    // OpenSearch writes pairs of surrogates as UTF-8, in fewer bytes than are counted.
    if (IS_OPENSEARCH) expect(other - plain).toBeLessThanOrEqual(jsonBytes(sample));
    else expect(other - plain).toBe(jsonBytes(sample));
  });

  async function bytesWith(data: string): Promise<number> {
    const id = await service.client.upload({ name: 'measured', data });
    await service.indexed();
    const url = `${service.env['ELASTICSEARCH_URL']}/${service.alias}/_search?q=_id:${id}&filter_path=hits.hits._source.data`;
    return (await (await fetch(url)).arrayBuffer()).byteLength;
  }
});

describe('fields=summary', () => {
  it('leaves out the data of each item, also on a deep page and with other additions', async () => {
    await service.client.upload({ name: 'summarized', data: 'not listed', tags: ['tag'] });
    await service.indexed();
    const { body } = await service.client.list({ prompt: 'summarized', fields: 'summary', include: 'tags', highlight: 'true' });
    const [item] = body.content;
    expect(item).toMatchObject({ name: 'summarized', tags: ['tag'], highlights: { name: ['<mark>summarized</mark>'] } });
    expect(item).not.toHaveProperty('data');
    const [complete] = (await service.client.list({ prompt: 'summarized', include: 'tags', highlight: 'true' })).body.content;
    expect({ ...item, data: 'not listed' }).toEqual(complete);
  });

  it.each(['all', 'Summary', 'name'])('with another value is 400: %s', async (fields) =>
    expectErrors(await service.client.get(`/api/content?fields=${fields}`), ['fields']),
  );
});
