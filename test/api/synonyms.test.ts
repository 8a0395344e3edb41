import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseEnv } from '@ugc/shared/process/env';
import { ApiEnv } from '@ugc/api/env';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';

function fileWith(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'ugc-synonyms-')), 'synonyms.txt');
  writeFileSync(path, text);
  return path;
}

describe('synonyms of the operator', () => {
  const service = forAllTests(() => startService({ SYNONYMS_FILE: fileWith('gba, game boy advance\nsofa => couch\nnintedno, gba') }));
  beforeAll(async () => {
    await storeContent(service.database, [
      { name: 'GBA cable' },
      { name: 'Cable for the Game Boy Advance' },
      { name: 'Advance of a boy in a game' },
      { name: 'Red sofa' },
      { name: 'Sofa' },
      { name: 'Red couches' },
    ]);
    await service.indexed();
  });
  const found = async (prompt: string, parameters = {}): Promise<string[]> =>
    (await service.client.search(prompt, { match: 'all', ...parameters })).toSorted();

  it.each([
    ['gba', ['Cable for the Game Boy Advance', 'GBA cable']],
    ['gba cable', ['Cable for the Game Boy Advance', 'GBA cable']],
    ['GAME BOY ADVANCE cable', ['Cable for the Game Boy Advance', 'GBA cable']],
    ['sofa', ['Red couches']],
    ['red sofa', ['Red couches']],
    ['couch', ['Red couches']],
  ])('are found as well, or instead with =>: %s', async (prompt, names) => expect(await found(prompt)).toEqual(names));

  it('do not apply to quoted phrases, exclusions and words that are meant as they are written', async () => {
    expect(await found('"gba"')).toEqual(['GBA cable']);
    expect(await found('red -couch')).toEqual(['Red sofa']);
    expect(await found('sofa', { correct: 'false' })).toEqual(['Red sofa', 'Sofa']);
  });

  it('are marked and explained, and are no corrections', async () => {
    const { body, headers } = await service.client.list({ prompt: 'red sofa', highlight: 'true', explain: 'true' });
    expect(body.content).toMatchObject([{ highlights: { name: ['<mark>Red</mark> <mark>couches</mark>'] } }]);
    expect(body.interpretation).toMatchObject({ words: ['red', 'couch'], corrected: [], variants: [{ from: 'sofa', to: 'couch' }] });
    expect(headers.get('search-correction')).toBeNull();
    const { body: phrase } = await service.client.list({ prompt: 'gba', highlight: 'true' });
    expect(phrase.content.map(({ highlights }) => highlights?.name?.[0])).toContain('Cable for the <mark>Game Boy Advance</mark>');
  });

  it('are not suggested, and a word that only the operator knows is not corrected', async () => {
    const { body } = await service.client.get('/api/content/suggest?prompt=sofa');
    expect(JSON.stringify(body)).not.toMatch(/couch/i);
    expect(await found('nintedno')).toEqual(['GBA cable']);
  });
});

it('no search request differs with a file whose rules do not apply', async () => {
  const requestsOf = async (environment: Environment): Promise<object[]> => {
    const sent: object[] = [];
    const api = await startApiAlone(environment, (elasticsearch) =>
      Object.create(elasticsearch, {
        search: { value: recorded(sent, elasticsearch.search.bind(elasticsearch)) },
        msearch: { value: recorded(sent, elasticsearch.msearch.bind(elasticsearch)) },
      }),
    );
    const alias = api.env['CONTENT_ALIAS'] ?? '';
    await api.elasticsearch.indices.create({ index: `${alias}-v1`, ...INDEX_BODY, aliases: { [alias]: {} } });
    for (const prompt of ['', 'lighthouse at dusk', '"gba" -sofa', 'c++ 東京', 'xylophoen'])
      expect((await api.client.list({ prompt })).status).toBe(200);
    await api.stop();
    return sent;
  };
  const recorded = (sent: object[], send: (...parameters: any[]) => unknown) => {
    return (request: { index?: unknown }, ...rest: unknown[]) => {
      const { index: _, ...body } = request;
      sent.push(body);
      return send(request, ...rest);
    };
  };
  const without = await requestsOf({});
  expect(without.length).toBeGreaterThan(5);
  expect(await requestsOf({ SYNONYMS_FILE: fileWith('gba, game boy advance\nsofa => couch') })).toEqual(without);
});

it('a wrong file of synonyms is an error at the start that names line and reason, as is a missing one', async () => {
  const env = await createEnvironment();
  const start = (path: string) => () => parseEnv(ApiEnv, { ...env, SYNONYMS_FILE: path });
  expect(start(fileWith('a, b\nc'))).toThrow('SYNONYMS_FILE: line 2 has one word or phrase only');
  expect(start('/nowhere/synonyms.txt')).toThrow('SYNONYMS_FILE: the file /nowhere/synonyms.txt cannot be read');
});
