import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ForeignJobs } from '@ugc/indexer/jobs/foreign-jobs';
import { takeOver } from '@ugc/indexer/targets/claim';
import { INDEX_BODY, MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { type DatabaseIdentity, readIdentity } from '@ugc/shared/contracts/database-identity';
import { INDEX_QUEUE, openIndexQueue } from '@ugc/shared/contracts/index-queue';
import { readIndexStates } from '@ugc/shared/indices/read-index-states';
import { findTarget, type IndexTarget, listTargets } from '@ugc/shared/indices/targets';
import { renewBeat, writeBeat } from '@ugc/shared/ownership/heartbeat';
import { readOwnerRecords, writeOwnerRecord } from '@ugc/shared/ownership/owner-records';
import { describeForeign, Ownership, type TargetVerdict } from '@ugc/shared/ownership/ownership';
import { createLog } from '@ugc/shared/process/log';
import { connectProducer } from '@ugc/shared/redis/redis';
import { DelayedError } from 'bullmq';
import { randomUUID } from 'node:crypto';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { copyDatabase } from '../support/database/copies.ts';
import { countOutbox } from '../support/database/outbox.ts';
import { problemsOnPage } from '../support/http/operations-status.ts';
import { scrape } from '../support/http/scrape.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { rebuildIndex } from '../support/indices/index-lock.ts';
import { stopHeartbeat } from '../support/cluster/delivery.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { long } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { failureOf, indexCommand, type Result } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { type HalfService, startHalfService, type Service, startService, untilIndexed } from '../support/processes/service.ts';

const LOCKED = 75;

type Status = {
  problems: string[];
  unlisted: { indexName: string; aliases: string[] }[];
  indices: { indexName: string; ownership: string }[];
};

/** index:rebuild, which on a busy machine may not get the lock in time: while something is wrong, the indexer takes it often. */
async function rebuildCommand(env: Environment, ...args: string[]): Promise<Result> {
  let result: Result | undefined;
  await until('the index lock is free', async () => (result = await indexCommand(env, 'index-rebuild', ...args)).code !== LOCKED);
  return result!;
}

async function commandStatus(env: Environment): Promise<Status> {
  const { json } = await indexCommand(env, 'index-status', '--json');
  return json[0] as Status;
}

async function untilDegraded({ client }: HalfService): Promise<void> {
  await until('readiness is degraded', async () => {
    const { status, body } = await client.get('/health/ready');
    return status === 200 && body.status === 'degraded';
  });
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
      await until('both databases are named', async () => nameBoth(await problemsOnPage(copy)));
      await untilDegraded(copy);
      expect((await copy.client.list()).status).toBe(500);
      await until('the log names both databases', () => nameBoth(copy.logged));
      expect((await commandStatus(env)).problems.join()).toContain(nameIn(original.env));
      expect((await scrape(copy.operationsUrl)).get('ugc_index_problems')).toBeGreaterThan(0);
      expect(await rebuildCommand(env, '--finish')).toMatchObject({ code: 1 });
      expect(await indexCommand(env, 'index-audit', '--repair')).toMatchObject({ code: 1, stderr: expect.stringContaining('index:adopt') });
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
      expect(failureOf(await rebuildCommand(after.env, '--finish'))).toBe('');
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
      expect(await rebuildCommand(service.env, '--remove', await searchedName(other))).toMatchObject({ code: 1 });
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
      const result = await rebuildCommand(service.env);
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
    expect(failureOf(await rebuildCommand(service.env, '--remove', index))).toBe('');
    expect(await service.elasticsearch.indices.exists({ index })).toBe(false);
  });

  it('the alias on an index of another database changes nothing and is named by readiness, status, log and command', async () => {
    const index = `${service.alias}-v${MAPPING_VERSION}-20200102000000000`;
    const owner = { id: 'other', system: '1', oid: '1', address: '10.0.0.1:5432', name: 'production' };
    const mappings = { ...INDEX_BODY.mappings, _meta: { version: MAPPING_VERSION, owner } };
    await service.elasticsearch.indices.create({ index, ...INDEX_BODY, mappings, aliases: { [service.alias]: {} } });
    const isNamed = (texts: string[]): boolean =>
      texts.some((text) => text.includes('production at 10.0.0.1') && text.includes(service.alias));
    await until('it is named', async () => isNamed(await problemsOnPage(service)));
    await until('the log names it', () => isNamed(service.logged));
    expect(isNamed((await commandStatus(service.env)).problems)).toBe(true);
    expect(isNamed(await problemsOnPage(service))).toBe(true);
    expect(await rebuildCommand(service.env)).toMatchObject({ code: 1, stderr: expect.stringContaining('production') });
    expect(await rebuildCommand(service.env, '--remove', index)).toMatchObject({ code: 1 });
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
    await until('it is named', async () => isNamed(await problemsOnPage(service)));
    await untilDegraded(service);
    expect(isNamed((await commandStatus(service.env)).problems)).toBe(true);
    expect(await rebuildCommand(service.env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`--remove ${alias}`),
    });
    expect(failureOf(await rebuildCommand(service.env, '--remove', alias))).toBe('');
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

describe('a database that has replaced another one, as a restore does', () => {
  const service = forAllTests(() => startService());

  it('removes the jobs of the other one from the queue, and puts back those that its indexers may still take', async () => {
    const redis = connectProducer({ REDIS_URL: service.env['REDIS_URL'] ?? '' }, () => undefined);
    const queue = openIndexQueue(redis, service.env['QUEUE_PREFIX'] ?? '', () => undefined);
    const of = { id: 'other', system: '1', oid: '1', address: '10.0.0.1:5432', name: 'replaced' };
    const add = async (jobId: string, timestamp: number): Promise<string> => {
      await queue.add(INDEX_QUEUE, { contentIds: [1], database: of }, { jobId, timestamp });
      return jobId;
    };
    const recent = await add(randomUUID(), Date.now());
    const old = await add(randomUUID(), Date.now() - 3_600_000);
    await until('the old job is gone', async () => (await queue.getJobState(old)) === 'unknown');
    await until('the other database is named', async () =>
      (await problemsOnPage(service)).some((text) => /replaced at 10\.0\.0\.1.*has replaced the other, wait/.test(text)),
    );
    expect(await queue.getJobState(recent)).not.toBe('unknown');
    await queue.close();
    redis.disconnect();
  });
});

describe('the owner of an index', () => {
  /** Long enough that a watch sees several looks, and short for a test. */
  const GONE_AFTER_MS = 300;

  const service = forAllTests(() => startService());
  let target: IndexTarget;
  let self: DatabaseIdentity;

  beforeAll(async () => {
    await stopHeartbeat(service);
    target = (await findTarget(service, 'search'))!;
    self = await readIdentity(service.database);
  });
  beforeEach(() => writeRecord(self));

  const other = (changes: Partial<DatabaseIdentity>): DatabaseIdentity => ({ ...self, ...changes });
  const copyOfTheDataFolder = (): DatabaseIdentity => other({ address: '10.0.0.9:5432' });
  const place = () => ({ alias: service.alias, uuid: target.uuid ?? '' });

  async function recordNow() {
    return (await readOwnerRecords(service.elasticsearch, service.alias, [place().uuid])).get(place().uuid);
  }

  async function writeRecord(owner: DatabaseIdentity, beat: string | null = null): Promise<void> {
    const record = { indexName: target.indexName, owner, beat, pulse: randomUUID(), at: new Date().toISOString() };
    await until('the record is written', async () =>
      writeOwnerRecord(service.elasticsearch, place(), record, (await recordNow())?.position),
    );
  }

  /** A process of the database that `as` is. */
  function startProcess(as = self): { verdict: () => Promise<TargetVerdict | undefined> } {
    const ownership = new Ownership(service, { goneAfterMs: GONE_AFTER_MS });
    const verdict = async () => {
      const states = await readIndexStates(service.elasticsearch, { names: [target.indexName] });
      return (await ownership.judge(as, [target], states)).get(target.indexName)?.verdict;
    };
    return { verdict };
  }

  describe('an index belongs', () => {
    it('to the database that its record names, at once', async () => {
      expect(await startProcess().verdict()).toBe('own');
    });

    it.each([
      ['another system', { system: 'another' }],
      ['another database', { oid: '1', system: 'another' }],
      ['another id', { id: randomUUID() }],
    ])('to a living database of %s while its record changes, and it is gone when that stands still', async (_, changes) => {
      await writeRecord(other(changes));
      const process = startProcess();
      expect(await process.verdict()).toBe('undecided');
      await writeRecord(other(changes));
      expect(await process.verdict()).toBe('foreign');
      await until('the owner is gone', async () => (await process.verdict()) === 'gone');
      await writeRecord(other(changes));
      expect(await process.verdict()).toBe('foreign');
    });

    it('to nobody if its database was dropped from the same server, as in a restore in place', async () => {
      await writeRecord(other({ oid: '9' }));
      expect(await startProcess().verdict()).toBe('gone');
    });

    it('to the same database through another network path once a new beat of it is in the record', async () => {
      await writeRecord(copyOfTheDataFolder());
      const process = startProcess();
      expect(await process.verdict()).toBe('undecided');
      const beat = await newBeat();
      await writeRecord(copyOfTheDataFolder(), beat);
      expect(await process.verdict()).toBe('own');
    });

    it('to the original, not to a copy of its data folder that was made after its last beat', async () => {
      const beat = await newBeat();
      await writeRecord(copyOfTheDataFolder(), beat);
      const copy = startProcess();
      expect(await copy.verdict()).toBe('undecided');
      await writeRecord(copyOfTheDataFolder(), beat);
      expect(await copy.verdict()).toBe('foreign');
    });

    it('to the same database after a failover, for a process that has written to it before', async () => {
      await writeRecord(self, await newBeat());
      const ownership = new Ownership(service, { goneAfterMs: GONE_AFTER_MS });
      const states = await readIndexStates(service.elasticsearch, { names: [target.indexName] });
      await ownership.judge(self, [target], states);
      const judged = await ownership.judge(copyOfTheDataFolder(), [target], states);
      expect(judged.get(target.indexName)?.verdict).toBe('own');
    });

    it('to the same database at another address after 20 s, for a process that has seen no renewal, and else after a minute', async () => {
      const clock = jest.spyOn(performance, 'now');
      // Sums of fractions would be less than a minute.
      let nowMs = Math.ceil(performance.now());
      clock.mockImplementation(() => nowMs);
      const verdicts = async (...ownerships: Ownership[]) => {
        nowMs += 5_000;
        const states = await readIndexStates(service.elasticsearch, { names: [target.indexName] });
        const judged = await Promise.all(ownerships.map((ownership) => ownership.judge(self, [target], states)));
        return judged.map((each) => each.get(target.indexName)?.verdict);
      };
      try {
        const [restarted, copy] = [new Ownership(service), new Ownership(service)];
        await writeRecord(copyOfTheDataFolder());
        await verdicts(copy);
        await writeRecord(copyOfTheDataFolder());
        for (let ms = 0; ms < 20_000; ms += 5_000) expect(await verdicts(restarted, copy)).toEqual(['undecided', 'foreign']);
        expect(await verdicts(restarted, copy)).toEqual(['gone', 'foreign']);
        for (let ms = 25_000; ms < 60_000; ms += 5_000) expect(await verdicts(copy)).toEqual(['foreign']);
        expect(await verdicts(copy)).toEqual(['gone']);
      } finally {
        clock.mockRestore();
      }
    });

    it('to nobody if it names no database', async () => {
      const index = `${service.alias}-v1-20200101000000000`;
      await service.elasticsearch.indices.create({ index });
      const states = await readIndexStates(service.elasticsearch, { names: [index] });
      expect((await new Ownership(service).judge(self, [{ indexName: index }], states)).get(index)?.verdict).toBe('foreign');
      await service.elasticsearch.indices.delete({ index });
    });
  });

  it('an index of another address of the same data folder is described as perhaps the own one while that is not known', () => {
    const describeAs = (verdict: TargetVerdict, owner: DatabaseIdentity) => describeForeign(self, target.indexName, { verdict, owner });
    expect(describeAs('undecided', copyOfTheDataFolder())).toContain('perhaps this one at another address');
    expect(describeAs('undecided', other({ system: 'another' }))).toContain('to see whether that is running');
    expect(describeAs('foreign', copyOfTheDataFolder())).toContain('which is running');
  });

  it('an indexer that puts back jobs of another database makes progress', async () => {
    const watch = { jobStarted: jest.fn(() => undefined), jobEnded: jest.fn(() => undefined) };
    const jobs = new ForeignJobs({ database: service.database, log: createLog('test', 'silent'), queuePrefix: 'shared', watch });
    const job = { timestamp: Date.now(), moveToDelayed: jest.fn(async () => undefined) } as unknown as Parameters<
      ForeignJobs['putBack']
    >[0];
    await jobs.putBack(job, 'token', { contentIds: [1], database: self });
    expect(watch.jobEnded).not.toHaveBeenCalled();
    await expect(jobs.putBack(job, 'token', { contentIds: [1], database: other({ system: 'another' }) })).rejects.toThrow(DelayedError);
    expect([watch.jobStarted.mock.calls.length, watch.jobEnded.mock.calls.length]).toEqual([1, 1]);
  });

  it('a watch does not count the time while Elasticsearch takes no writes', async () => {
    await writeRecord(other({ oid: '1', system: 'another' }));
    const process = startProcess();
    await process.verdict();
    const records = `${service.alias}-v0-owners`;
    await service.elasticsearch.indices.putSettings({ index: records, settings: { 'index.blocks.write': true } });
    await until('the watch tries to write', () => process.verdict().then(() => false, () => true)); // prettier-ignore
    await service.elasticsearch.indices.putSettings({ index: records, settings: { 'index.blocks.write': null } });
  });

  it('of several databases that take an index over at the same time, one succeeds, and none if its owner has come back', async () => {
    const gone = other({ oid: '1', system: 'another' });
    await writeRecord(gone);
    const states = await readIndexStates(service.elasticsearch, { names: [target.indexName] });
    const claimed = {
      indexName: target.indexName,
      state: states.get(target.indexName)!,
      judged: { owner: gone, record: await recordNow() },
    };
    const takers = ['2', '3', '4'].map((oid) => takeOver(indexDeps(service), other({ oid }), claimed));
    const results = await Promise.allSettled(takers);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await writeRecord(gone);
    await expect(takeOver(indexDeps(service), other({ oid: '5' }), claimed)).rejects.toThrow('has come back');
    expect((await recordNow())?.owner.oid).toBe('1');
  });

  it('a take-over by the same database at another address is named in the mapping too, so that lists need no record', async () => {
    const states = await readIndexStates(service.elasticsearch, { names: [target.indexName] });
    const claimed = {
      indexName: target.indexName,
      state: states.get(target.indexName)!,
      judged: { owner: self, record: await recordNow() },
    };
    await takeOver(indexDeps(service), copyOfTheDataFolder(), claimed);
    expect(await ownerOf(service, target.indexName)).toEqual(copyOfTheDataFolder());
  });

  it('a database notices beats of another one with its identity', async () => {
    const owned = [{ indexName: target.indexName, ...place(), owner: self }];
    const beat = { beat: await newBeat(), previous: null };
    expect(await writeBeat(service, beat, owned)).toBe(false);
    expect(await writeBeat(service, beat, owned)).toBe(false);
    await writeRecord(self, randomUUID());
    expect(await writeBeat(service, beat, owned)).toBe(true);
  });

  it('a process that does not reach PostgreSQL keeps the beat of the others in the record, and changes the pulse', async () => {
    await writeRecord(self, 'beat of the others');
    const before = await recordNow();
    expect(await writeBeat(service, undefined, [{ indexName: target.indexName, ...place(), owner: self }])).toBe(false);
    const after = await recordNow();
    expect(after?.beat).toBe('beat of the others');
    expect(after?.pulse).not.toBe(before?.pulse);
  });

  /** Makes a renewal due. @returns the new beat, which is stored in the database */
  async function newBeat(): Promise<string> {
    await service.database.query(`update index_control set beat_at = null`);
    return (await renewBeat(service))?.beat ?? '';
  }
});
