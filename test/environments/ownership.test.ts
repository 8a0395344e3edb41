import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readIdentity, type DatabaseIdentity } from '@ugc/shared/contracts/database-identity';
import { readIndexStates } from '@ugc/shared/indices/read-index-states';
import { findTarget, type IndexTarget } from '@ugc/shared/indices/targets';
import { renewBeat, writeBeat } from '@ugc/shared/ownership/heartbeat';
import { readOwnerRecords, writeOwnerRecord } from '@ugc/shared/ownership/owner-records';
import { Ownership, type TargetVerdict } from '@ugc/shared/ownership/ownership';
import { takeOver } from '@ugc/indexer/indices/claim';
import { randomUUID } from 'node:crypto';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { stopHeartbeat } from '../support/indices/stop-heartbeat.ts';
import { startService } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

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
  await until('the record is written', async () => writeOwnerRecord(service.elasticsearch, place(), record, (await recordNow())?.position));
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

  it('to nobody if it names no database and is not the listed one, and to the lister otherwise', async () => {
    const index = `${service.alias}-v1-20200101000000000`;
    await service.elasticsearch.indices.create({ index });
    const states = await readIndexStates(service.elasticsearch, { names: [index] });
    const verdictFor = async (uuid: string | null) =>
      (await new Ownership(service).judge(self, [{ indexName: index, uuid }], states)).get(index)?.verdict;
    expect(await verdictFor('another')).toBe('unowned');
    expect(await verdictFor(states.get(index)?.uuid ?? '')).toBe('own');
    await service.elasticsearch.indices.delete({ index });
  });
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
  const claimed = { indexName: target.indexName, state: states.get(target.indexName)!, judged: { owner: gone, record: await recordNow() } };
  const takers = ['2', '3', '4'].map((oid) => takeOver(indexDeps(service), other({ oid }), claimed));
  const results = await Promise.allSettled(takers);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await writeRecord(gone);
  await expect(takeOver(indexDeps(service), other({ oid: '5' }), claimed)).rejects.toThrow('has come back');
  expect((await recordNow())?.owner.oid).toBe('1');
});

it('a database notices beats of another one with its identity', async () => {
  const owned = [{ indexName: target.indexName, ...place(), owner: self }];
  const beat = { beat: await newBeat(), previous: null };
  expect(await writeBeat(service, beat, owned)).toBe(false);
  expect(await writeBeat(service, beat, owned)).toBe(false);
  await writeRecord(self, randomUUID());
  expect(await writeBeat(service, beat, owned)).toBe(true);
});

/** Makes a renewal due. @returns the new beat, which is stored in the database */
async function newBeat(): Promise<string> {
  await service.database.query(`update index_control set beat_at = null`);
  return (await renewBeat(service))?.beat ?? '';
}
