import { describe, expect, it } from '@jest/globals';
import { hideContent } from '@ugc/items/changes/hidden-content';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { findTarget } from '@ugc/shared/indices/targets';
import { failureOf, indexCommand } from '../support/processes/command.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { rebuildIndex, removeOtherIndices } from '../support/indices/index-lock.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { insertPoison } from '../support/database/insert-items.ts';
import { rows } from '../support/jest/long.ts';
import { CLAIMED, countOutbox } from '../support/database/outbox.ts';
import { startService } from '../support/processes/service.ts';

const service = forAllTests(() => startService());

const command = (name: string, ...args: string[]) => indexCommand(service.env, name, ...args);

describe('while indexing is paused by index:pause', () => {
  it('uploads succeed and are indexed only after index:resume', async () => {
    expect(await command('index-pause', 'pause', '--json')).toMatchObject({
      code: 0,
      json: [{ underWay: 0, pausedSince: expect.any(String) }],
    });
    const id = await service.client.upload({ name: 'while paused' });
    const status = await command('index-status', '--json');
    expect(status.json[0]).toMatchObject({ pending: 1, pausedSince: expect.any(String), queue: { waiting: 0, active: 0 } });
    expect(await command('index-rebuild')).toMatchObject({ code: 1, stderr: expect.stringContaining('index:resume') });
    expect((await service.client.get(`/api/content/${id}/index-status`)).body.status).toBe('pending');
    expect(await service.client.search('"while paused"')).toEqual([]);
    expect(failureOf(await command('index-pause', 'resume'))).toBe('');
    await service.indexed();
    expect(await service.client.search('"while paused"')).toHaveLength(1);
  });

  it('the command ends at once if no indexer runs, with the changes that stay in the queue', async () => {
    const api = await startApiAlone();
    await api.client.upload();
    await until('the change is claimed', async () => (await countOutbox(api.database, CLAIMED)) === 1);
    const { code, json } = await indexCommand(api.env, 'index-pause', 'pause', '--json');
    expect([code, json]).toEqual([0, [{ pausedSince: expect.any(String), underWay: 1, making: false, isUnattended: true }]]);
    await api.stop();
  });

  it('jobs that were claimed earlier release their changes', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => service.client.upload({ name: `claimed ${n}` })));
    // The command starts too slowly to find the jobs still waiting.
    await pauseIndexing(service.database);
    expect(failureOf(await command('index-pause', 'pause'))).toBe('');
    expect(await countOutbox(service.database, CLAIMED)).toBe(0);
    await resumeIndexing(service.database);
    await service.indexed();
    expect(await service.client.search('"claimed"', { size: 50 })).toHaveLength(ids.length);
  });
});

describe('a rejected item in index:rejected', () => {
  it('is listed with its reason, does not delay other items, and can be retried or dropped', async () => {
    const id = await insertPoison(service.database);
    await service.client.upload({ name: 'a neighbour' });
    await service.indexed();
    expect(await service.client.search('"a neighbour"')).toHaveLength(1);
    const [listed] = (await command('index-rejected', 'list', '--json')).json;
    expect(listed).toEqual({
      contentId: id,
      revision: 1,
      since: expect.any(String),
      reason: expect.stringContaining('tagKeys'),
    });

    await service.database.query(`update content set tags = '{corrected}' where content_id = $1`, [id]);
    expect(await command('index-rejected', 'retry', String(id), '999')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not rejected: 999'),
    });
    await service.indexed();
    expect(await service.client.search('corrected')).toEqual(['poison']);

    const dropped = await insertPoison(service.database);
    await service.indexed();
    expect(await command('index-rejected', 'drop', '--all', '--json')).toMatchObject({ code: 0, json: [{ drop: [dropped] }] });
    expect(await command('index-rejected', 'list')).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing is rejected') });
  });
});

describe('index:status --item, and the field on the operators page, say why an item is found or not:', () => {
  const said = async (id: number): Promise<string> => {
    const lines = (await (await fetch(`${service.operationsUrl}/item?id=${id}`)).json()) as [string, string][];
    const { stdout } = await command('index-status', '--item', String(id));
    for (const [, text] of lines) expect(stdout).toContain(text);
    return stdout;
  };

  it('one that is indexed', async () => {
    await service.client.upload({ name: 'Found by its name' });
    const id = await service.client.upload({ name: 'found by its  NAME' });
    await service.indexed();
    expect(await said(id)).toMatch(
      /revision 1, "found by its {2}NAME"\nchange +none is pending\n\S+ +has revision 1 \(search\)\nsearch.* finds it, and 1 other/,
    );
    expect((await command('index-status', '--item', String(id), '--json')).json).toEqual([
      expect.objectContaining({ contentId: id, change: null, search: { value: { isFound: true, others: 1 } } }),
    ]);
  });

  it('one that is rejected, with the reason and the command that retries it', async () => {
    const id = await insertPoison(service.database);
    await service.indexed();
    expect(await said(id)).toMatch(new RegExp(`rejected since .*tagKeys.*index:rejected retry ${id}.*\n\\S+ +does not have it`));
    await command('index-rejected', 'drop', '--all');
    expect(await said(id)).toMatch(/dropped at 2\S+, until the next one: .*tagKeys/);
  });

  it('one that waits, one that is deleted, and one that never was', async () => {
    const id = await service.client.upload({ name: 'deleted' });
    await service.client.send('DELETE', `/api/content/${id}`);
    await service.indexed();
    expect((await command('index-status')).stdout).toMatch(/ \d+ items, 1 deleted /);
    expect(await said(id)).toMatch(/deleted at .*\n.*\n\S+ +has revision 2, as deleted/);
    await pauseIndexing(service.database);
    expect(await said(await service.client.upload({ name: 'waits' }))).toMatch(/revision 1 is pending since .*\n\S+ +does not have it/);
    await resumeIndexing(service.database);
    await service.indexed();
    expect(await said(999_999)).toContain('PostgreSQL does not have it');
  });

  it('one that the searched index has, although the previous one is closed', async () => {
    const id = await service.client.upload({ name: 'in an open index' });
    await rebuildIndex(indexDeps(service));
    const { indexName: index = '' } = (await findTarget(service, 'previous')) ?? {};
    await service.elasticsearch.indices.close({ index });
    const text = await said(id);
    expect(text).toMatch(/\n\S+ +has revision 1 \(search\)\nsearch.* finds it/);
    expect(text).not.toContain(index);
    await removeOtherIndices(indexDeps(service));
  });

  it('one that is hidden', async () => {
    const id = await service.client.upload({ name: 'hidden' });
    await hideContent(service.database, id, { moderator: '1', reason: 'a test' });
    await service.indexed();
    expect(await said(id)).toMatch(
      /revision 2, "hidden", hidden since .*\n.*\n\S+ +has revision 2, as deleted.*\nsearch.* does not find it/,
    );
  });
});

describe('the output of index:status', () => {
  it('contains the outbox, the queue and the indices', async () => {
    const { code, json } = await command('index-status', '--json');
    expect(code).toBe(0);
    expect(json[0]).toMatchObject({
      pending: 0,
      rejected: 0,
      pausedSince: null,
      queue: { waiting: 0 },
      indices: [{ role: 'search', searched: true, intact: true }],
    });
    const { stdout } = await command('index-status');
    expect(stdout).toMatch(/^indexing +running\npending +0\n/);
  });

  it('is printed without queue and indices while Redis and Elasticsearch are unavailable', async () => {
    // The command waits for the whole limit.
    const env = { ...service.env, STORE_TIMEOUT_FACTOR: '1', REDIS_URL: 'redis://127.0.0.1:1', ELASTICSEARCH_URL: 'http://127.0.0.1:1' };
    expect(await indexCommand(env, 'index-status', '--json')).toMatchObject({
      code: 0,
      json: [{ queue: null, indices: null, pending: 0 }],
    });
  });

  it('is replaced by exit code 75 while PostgreSQL is unavailable', async () => {
    const env = { ...service.env, DATABASE_URL: 'postgresql://ugc@127.0.0.1:1/ugc' };
    expect(await indexCommand(env, 'index-status')).toMatchObject({ code: 75 });
  });
});

const WRONG_ARGUMENTS: [string, string[]][] = [
  ['index-rebuild', ['now']],
  ['index-audit', ['--fix']],
  ['index-rejected', []],
  ['index-rejected', ['retry']],
  ['index-rejected', ['drop', 'x']],
  ['index-rejected', ['drop', '1', '--all']],
  ['index-status', ['all']],
  ['index-status', ['--item', 'x']],
  ['index-pause', []],
];

it.each(rows(2, WRONG_ARGUMENTS))('the command %s refers to its help for the wrong arguments %j', async (name, args) => {
  expect(await command(name, ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining('npx pnpm index:') });
});
