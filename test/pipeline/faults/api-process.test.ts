import { beforeEach, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { Client } from '../../support/http/client.ts';
import { startCluster, lastLogLine, processOf } from '../../support/cluster/cluster.ts';
import type { Point } from '../../support/failpoints/failpoints.ts';
import { forAllTests } from '../../support/jest/for-all-tests.ts';
import { rounds, long, rows, runs } from '../../support/jest/long.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { head, openSocket } from '../../support/http/raw-http.ts';
import { countContent } from '../../support/database/stored-content.ts';
import { tokenOf } from '../../support/http/tokens.ts';
import { until } from '../../support/jest/until.ts';
import { fieldsOf, Uploads } from '../../support/cluster/uploads.ts';

const cluster = forAllTests(() => startCluster({ apis: 2, failpoints: true }));
let uploads: Uploads;
beforeEach(() => void (uploads = new Uploads()));

describe('a stored upload is indexed after the API is killed', () => {
  it('between the commit of an upload and its response', async () => {
    for (const round of rounds()) {
      await killAt('api.after_commit', `committed ${round}`);
      expect(await storedAs(`committed ${round}`)).toBe(1);
    }
    await expectNothingLost(cluster, uploads);
  });

  it.each(rows(1, ['relay.after_enqueue', 'relay.after_claim'] as const))('at the failpoint %s of the relay', async (point) => {
    for (const round of rounds()) await killAt(point, `${point} ${round}`);
    await expectNothingLost(cluster, uploads);
  });
});

long.it('no upload is lost when the API is killed repeatedly during uploads and claims', async () => {
  for (let round = 0; round < 3; round++) {
    const end = Promise.withResolvers<void>();
    const before = uploads.accepted.size;
    const uploading = uploads.sendDuring(cluster.client, `round ${round}`, end.promise);
    await until('something was uploaded', () => uploads.accepted.size > before);
    await cluster.api.kill();
    end.resolve();
    await uploading;
    await cluster.api.start();
  }
  await expectNothingLost(cluster, uploads);
});

it('an upload is not stored when the API is killed before the commit', async () => {
  for (const round of rounds()) {
    await killAt('api.after_insert', `inserted ${round}`, (client, name) => uploads.sendWithKey(client, name));
    expect(await storedAs(`inserted ${round}`)).toBe(0);
  }
  await expectNothingLost(cluster, uploads);
});

it('an API that is stopped under load responds to all requests that it has begun, and exits by itself', async () => {
  const before = await countContent(cluster.database);
  const flood = Array.from({ length: 20 }, (_, n) => uploadUntilGone(cluster.client, `under load ${n}`));
  await until('uploads are under way', () => uploads.accepted.size > 100);
  await cluster.api.stop();
  expect(lastLogLine(cluster.apiLogs[0])).toMatchObject({ code: 0 });
  expect((await Promise.all(flood)).filter((status) => status !== undefined)).toEqual([]);
  // Every request that was begun has a response, so the client knows of every stored upload.
  expect(await countContent(cluster.database)).toBe(before + uploads.accepted.size);
  await cluster.api.start();
  await expectNothingLost(cluster, uploads);
});

it('an API that is stopped responds to a request that waits for the index, and exits by itself', async () => {
  await cluster.indexer.kill();
  const response = cluster.client.tryUpload(fieldsOf('active'), 1, { prefer: 'wait=3' });
  await until('it is stored', async () => (await storedAs('active')) === 1);
  const ended = cluster.api.stop();
  expect((await response).status).toBe(201);
  await ended;
  expect(lastLogLine(cluster.apiLogs[0])).toMatchObject({ msg: 'stopped', code: 0 });
  await Promise.all([cluster.api.start(), cluster.indexer.start()]);
  await expectNothingLost(cluster, uploads);
});

it('an upload whose client disconnects before the end of the body is not stored and logs no error', async () => {
  const before = await countContent(cluster.database);
  const headers = [`Authorization: Bearer ${await tokenOf(1)}`, 'Content-Type: application/json', 'Content-Length: 1000'];
  const errorsBefore = await loggedErrors();
  for (let n = 0; n < 50; n++) {
    const socket = openSocket(cluster.api.url).on('error', () => undefined);
    await new Promise((written) => socket.write(`${head('POST', '/content', headers)}{"creatorId": 1, "na`, written));
    socket.resetAndDestroy();
  }
  await uploads.sendMany(cluster.client, 'after the disconnects', 5);
  expect(uploads.accepted.size).toBe(5);
  expect(await countContent(cluster.database)).toBe(before + 5);
  expect(await loggedErrors()).toEqual(errorsBefore);
  await expectNothingLost(cluster, uploads);
});

it('every upload of a flood is stored or gets 429 or 503, and no stored upload is lost', async () => {
  const senders = clients().flatMap((client) => Array.from({ length: runs(40, 100) }, () => client));
  const responses = await Promise.all(
    senders.map(async (client, sender) => {
      const statuses: (number | undefined)[] = [];
      for (let n = 0; n < 5; n++) statuses.push((await uploads.send(client, `flood ${sender} ${n}`))?.status);
      return statuses;
    }),
  );
  expect(responses.flat().filter((status) => ![201, 429, 503].includes(status ?? 0))).toEqual([]);
  expect(uploads.accepted.size).toBeGreaterThan(0);
  await expectNothingLost(cluster, uploads);
});

/** Uploads an item and kills the API process that reaches the failpoint first. */
async function killAt(point: Point, name: string, send = uploads.send.bind(uploads)): Promise<void> {
  cluster.failpoints.order(point);
  const upload = send(cluster.client, name);
  const stopped = processOf(cluster, await cluster.failpoints.reached(point)).server;
  await stopped.kill();
  await upload;
  await stopped.start();
}

async function storedAs(name: string): Promise<number> {
  return (await cluster.database.query('select 1 from content where name = $1', [name])).length;
}

/** @returns the first status that is neither 201 nor 503, undefined when the connection ends first */
async function uploadUntilGone(client: Client, prefix: string): Promise<number | undefined> {
  for (let n = 0; ; n++) {
    const response = await uploads.send(client, `${prefix} ${n}`);
    if (response?.status !== 201 && response?.status !== 503) return response?.status;
  }
}

async function loggedErrors(): Promise<string[]> {
  const lines = (await readFile(cluster.apiLogs[0] ?? '', 'utf8')).trimEnd().split('\n');
  return lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50);
}

function clients(): Client[] {
  return cluster.apis.map((api) => new Client(api.url));
}
