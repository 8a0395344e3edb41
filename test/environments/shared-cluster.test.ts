import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INDEX_BODY, MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { findTarget, listTargets } from '@ugc/shared/indices/targets';
import { failureOf, indexCommand } from '../support/processes/command.ts';
import { copyDatabase } from '../support/database/copy-database.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startHalfService, type HalfService } from '../support/processes/half-service.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { rebuildIndex } from '../support/indices/index-lock.ts';
import { long } from '../support/jest/long.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { countOutbox } from '../support/database/outbox.ts';
import { scrape } from '../support/http/scrape.ts';
import { startService, untilIndexed, type Service } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

type Status = {
  problems: string[];
  unlisted: { indexName: string; aliases: string[] }[];
  indices: { indexName: string; ownership: string }[];
};

async function commandStatus(env: Environment): Promise<Status> {
  const { json } = await indexCommand(env, 'index-status', '--json');
  return json[0] as Status;
}

async function problemsOnPage({ operationsUrl }: { operationsUrl: string }): Promise<string[]> {
  const { targets } = (await (await fetch(`${operationsUrl}/status`)).json()) as OperationsStatus;
  return 'value' in targets ? targets.value.problems : [];
}

async function readiness({ url }: HalfService): Promise<{ code: number; status: string; problems: string[] }> {
  const response = await fetch(`${url}/health/ready`);
  const body = (await response.json()) as { status: string; problems?: string[] };
  return { code: response.status, status: body.status, problems: body.problems ?? [] };
}

async function searchedName(service: Pick<Service, 'database' | 'alias'>): Promise<string> {
  return (await findTarget(service, 'search'))?.indexName ?? '';
}

async function ownerOf({ elasticsearch }: Pick<Service, 'elasticsearch'>, index: string): Promise<{ oid?: string }> {
  const { [index]: state } = await elasticsearch.indices.get({ index });
  return (state?.mappings?._meta?.['owner'] ?? {}) as { oid?: string };
}

describe('a copy of the database on the same Elasticsearch', () => {
  let original: Service;
  let copyEnv: Environment;

  beforeAll(async () => {
    const env = await createEnvironment();
    const first = await startService(env);
    for (let n = 0; n < 3; n++) await first.client.upload({ name: 'of the original' });
    await first.indexed();
    await first.stop();
    copyEnv = await copyDatabase(env);
    original = await startService(env);
  });
  afterAll(() => original.stop());

  long.it('with another alias fills an index of its own, and leaves those of the original alone', async () => {
    const env = await copyDatabaseOf(copyEnv);
    const index = await searchedName(original);
    const copy = await startService({
      ...env,
      CONTENT_ALIAS: `${env['CONTENT_ALIAS']}staging`,
      QUEUE_PREFIX: `${env['QUEUE_PREFIX']}staging`,
    });
    try {
      await copy.client.upload({ name: 'of the copy' });
      await expectNothingLost(copy);
      expect((await listTargets(copy.database)).map(({ indexName }) => indexName)).toEqual([await searchedName(copy)]);
      expect(await searchedName(original)).toBe(index);
      expect(await original.client.search('copy')).toEqual([]);
      await original.client.upload({ name: 'still indexed' });
      await expectNothingLost(original);
    } finally {
      await copy.stop();
    }
  });

  it('with the same alias writes nothing, answers no list, and names both databases everywhere until it adopts the indices', async () => {
    const env = { ...(await copyDatabaseOf(copyEnv)), QUEUE_PREFIX: `${copyEnv['QUEUE_PREFIX']}copy` };
    const copy = await startHalfService(env);
    const index = await searchedName(original);
    const nameBoth = (texts: string[]): boolean =>
      texts.some((text) => [nameIn(original.env), nameIn(env), 'CONTENT_ALIAS'].every((word) => text.includes(word)));
    try {
      await copy.client.upload({ name: 'of the copy' });
      await until('readiness names both databases', async () => nameBoth((await readiness(copy)).problems));
      expect(await readiness(copy)).toMatchObject({ code: 200, status: 'degraded' });
      expect((await copy.client.list()).status).toBe(500);
      await until('the log names both databases', () => nameBoth(copy.logged));
      await until('the page has the problem', async () => (await problemsOnPage(copy)).some((text) => text.includes(nameIn(original.env))));
      expect((await commandStatus(env)).problems.join()).toContain(nameIn(original.env));
      expect((await scrape(copy.operationsUrl)).get('ugc_index_problems')).toBeGreaterThan(0);
      expect(await indexCommand(env, 'index-rebuild', '--finish')).toMatchObject({ code: 1 });
      expect(await countOutbox(copy.database)).toBe(1);
      expect(await searchedName(original)).toBe(index);
      await original.client.upload({ name: 'still indexed' });
      await expectNothingLost(original);

      // The indexer holds the index lock while it looks for its index.
      await until('the indices are adopted', async () => {
        const { code, stderr } = await indexCommand(env, 'index-adopt');
        return code === 0 && stderr.includes(index);
      });
      await untilIndexed(copy, env);
      await until('lists of the copy succeed', async () => (await copy.client.list()).status === 200);
      expect(await copy.client.search('"of the copy"')).toEqual(['of the copy']);
      expect(await ownerOf(copy, index)).toMatchObject({ name: nameIn(env) });
    } finally {
      await copy.stop();
    }
  });

  const copyDatabaseOf = (env: Environment): Promise<Environment> => copyDatabase(env);
  const nameIn = (env: Environment): string => new URL(env['DATABASE_URL'] ?? '').pathname.slice(1);
});

long.describe('a change of CONTENT_ALIAS', () => {
  it('leaves the index of the former alias, which is written until --finish, and fills a new one', async () => {
    const env = await createEnvironment();
    const before = await startService(env);
    await before.client.upload({ name: 'before the change' });
    await before.indexed();
    const former = await searchedName(before);
    await before.stop();
    const after = await startService({ ...env, CONTENT_ALIAS: `${env['CONTENT_ALIAS']}-new` });
    try {
      const id = await after.client.upload({ name: 'after the change' });
      await expectNothingLost(after);
      expect(await after.elasticsearch.exists({ index: former, id: String(id) })).toBe(true);
      expect((await commandStatus(after.env)).indices.map(({ indexName }) => indexName)).toContain(former);
      expect(failureOf(await indexCommand(after.env, 'index-rebuild', '--finish'))).toBe('');
      expect(await after.elasticsearch.indices.exists({ index: former })).toBe(false);
      await expectNothingLost(after);
    } finally {
      await after.stop();
    }
  });
});

describe('beside others', () => {
  const service = forAllTests(async () => startHalfService(await createEnvironment()));
  beforeAll(async () => {
    await service.client.upload({ name: 'here' });
    await untilListed();
  });
  const untilListed = () => until('lists succeed', async () => (await service.client.list()).status === 200);

  it('an environment whose alias begins with this one gets its own indices, and neither lists those of the other', async () => {
    const other = await startService(await createEnvironment({ CONTENT_ALIAS: `${service.alias}-videos` }));
    try {
      await other.client.upload({ name: 'there' });
      await expectNothingLost(other);
      expect((await commandStatus(service.env)).unlisted).toEqual([]);
      expect(await indexCommand(service.env, 'index-rebuild', '--remove', await searchedName(other))).toMatchObject({ code: 1 });
      await rebuildIndex(indexDeps(service));
      await expectNothingLost(other);
    } finally {
      await other.stop();
    }
  });

  long.it('a template for all indices is accepted beside that of the service, and harms no rebuild', async () => {
    const name = `${service.alias}-organisation`;
    const organisation = { name, index_patterns: [`${service.alias}*`], template: { settings: { number_of_replicas: 0 } } };
    await service.elasticsearch.indices.putIndexTemplate(organisation);
    try {
      await rebuildIndex(indexDeps(service));
      expect((await service.client.list()).status).toBe(200);
    } finally {
      await service.elasticsearch.indices.deleteIndexTemplate({ name });
    }
  });

  long.it.each([
    ['an additional field', { mappings: { properties: { department: { type: 'keyword' as const } } } }, 'department'],
    ['a pipeline', { settings: { default_pipeline: 'enrich' } }, 'default_pipeline'],
  ])('a template with precedence and %s makes a rebuild fail with its name, and lists go on', async (_, template, what) => {
    const name = `${service.alias}-strict`;
    await service.elasticsearch.indices.putIndexTemplate({ name, index_patterns: [`${service.alias}*`], priority: 900, template });
    try {
      const before = await searchedName(service);
      const result = await indexCommand(service.env, 'index-rebuild');
      expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(new RegExp(`${what}[^]*${name}`)) });
      expect(result.stderr).not.toContain('    at ');
      expect(await searchedName(service)).toBe(before);
      expect((await service.client.list()).status).toBe(200);
    } finally {
      await service.elasticsearch.indices.deleteIndexTemplate({ name });
    }
  });

  long.it('a second index that gets the alias, as from a snapshot, loses it again', async () => {
    const index = `${service.alias}-v${MAPPING_VERSION}-20200101000000000`;
    await service.elasticsearch.indices.create({ index, ...INDEX_BODY, aliases: { [service.alias]: {} } });
    await until(
      'the alias has one index',
      async () => Object.keys(await service.elasticsearch.indices.getAlias({ name: service.alias })).length === 1,
    );
    await untilListed();
    await until('the index is shown', async () => (await commandStatus(service.env)).unlisted.some(({ indexName }) => indexName === index));
    expect(failureOf(await indexCommand(service.env, 'index-rebuild', '--remove', index))).toBe('');
    expect(await service.elasticsearch.indices.exists({ index })).toBe(false);
  });

  it('the alias on an index of another database changes nothing and is named by readiness, status, log and command', async () => {
    const index = `${service.alias}-v${MAPPING_VERSION}-20200102000000000`;
    const owner = { id: 'other', system: '1', oid: '1', address: '10.0.0.1:5432', name: 'production' };
    const mappings = { ...INDEX_BODY.mappings, _meta: { version: MAPPING_VERSION, owner } };
    await service.elasticsearch.indices.create({ index, ...INDEX_BODY, mappings, aliases: { [service.alias]: {} } });
    const isNamed = (texts: string[]): boolean =>
      texts.some((text) => text.includes('production at 10.0.0.1') && text.includes(service.alias));
    await until('readiness names it', async () => isNamed((await readiness(service)).problems));
    await until('the log names it', () => isNamed(service.logged));
    expect(isNamed((await commandStatus(service.env)).problems)).toBe(true);
    expect(isNamed(await problemsOnPage(service))).toBe(true);
    expect(await indexCommand(service.env, 'index-rebuild')).toMatchObject({ code: 1, stderr: expect.stringContaining('production') });
    expect(await indexCommand(service.env, 'index-rebuild', '--remove', index)).toMatchObject({ code: 1 });
    expect(Object.keys(await service.elasticsearch.indices.getAlias({ name: service.alias }))).toHaveLength(2);
    await service.elasticsearch.indices.delete({ index });
    await untilListed();
  });

  long.it('an index with the name of the alias is named, and lists succeed after its removal', async () => {
    const { elasticsearch, alias } = service;
    const index = await searchedName(service);
    await elasticsearch.indices.deleteAlias({ index, name: alias });
    // The indexer may set the alias again at any moment.
    await until('the index is created', async () => {
      await elasticsearch.indices.deleteAlias({ index, name: alias }, { ignore: [404] });
      return elasticsearch.indices.create({ index: alias }).then(
        () => true,
        () => false,
      );
    });
    const isNamed = (texts: string[]): boolean => texts.some((text) => text.includes(`--remove ${alias}`));
    await until('readiness names it', async () => isNamed((await readiness(service)).problems));
    expect(await readiness(service)).toMatchObject({ code: 200, status: 'degraded' });
    expect(isNamed((await commandStatus(service.env)).problems)).toBe(true);
    expect(await indexCommand(service.env, 'index-rebuild')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`--remove ${alias}`),
    });
    expect(failureOf(await indexCommand(service.env, 'index-rebuild', '--remove', alias))).toBe('');
    await untilListed();
  });
});

long.describe('two databases with the same queue', () => {
  it('index all of their uploads, lose no job, and name both databases and QUEUE_PREFIX', async () => {
    const env = await createEnvironment();
    const one = await startService(env);
    const two = await startService(await createEnvironment({ QUEUE_PREFIX: env['QUEUE_PREFIX'] ?? '' }));
    try {
      const hasForeignJob = async (): Promise<boolean> => (await problemsOnPage(one)).some((text) => text.includes('QUEUE_PREFIX'));
      await until('a job of the other database was found', async () => {
        await Promise.all([one.client.upload(), two.client.upload()]);
        return hasForeignJob();
      });
      await Promise.all([one.indexed(), two.indexed()]);
      for (const { operationsUrl } of [one, two]) expect((await scrape(operationsUrl)).get('ugc_relay_lost_jobs_total')).toBe(0);
      expect((await commandStatus(one.env)).problems.join()).toContain(new URL(two.env['DATABASE_URL'] ?? '').pathname.slice(1));
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
  });
});
