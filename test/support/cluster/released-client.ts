import { expect } from '@jest/globals';
import { cachedFolder } from '@ugc/local-stack/artifacts';
import { cacheFolder } from '@ugc/local-stack/folders';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ProblemError, UgcClient } from '../../../packages/client/src/index.ts';
import { png } from '../database/images.ts';
import { checkOutRelease } from './release.ts';

const run = promisify(execFile);

/** What the packed client of a release exports. Its types are those of the present one, which has all of it. */
export type ReleasedClient = { UgcClient: typeof UgcClient; ProblemError: typeof ProblemError };

/** The client of a tag or commit, packed as its README says: programs that have it do not change with the service. */
export async function packedClient(tag: string): Promise<ReleasedClient> {
  const checkout = await checkOutRelease(tag);
  const folder = await cachedFolder(`client-${tag}`, cacheFolder(), async (unfinished) => {
    await run('npm', ['pack', '--silent', '--pack-destination', unfinished], { cwd: join(checkout, 'packages/client') });
    const [tarball = ''] = (await readdir(unfinished)).filter((name) => name.endsWith('.tgz'));
    await run('tar', ['-xzf', tarball], { cwd: unfinished });
  });
  return (await import(join(folder, 'package/dist/index.js'))) as ReleasedClient;
}

/** What programs of user 2 find, and do not change, and an item of another user, which they rate. */
type Used = { steady: number[]; prompt: string; rated: number };

const PICTURE = png({ width: 8, height: 8 });

/** Calls each kind of method once, with an item of its own, and expects what the release of the client answered. @param n makes the names differ */
export async function useClient(ugc: UgcClient, n: number, { steady, prompt, rated }: Used): Promise<void> {
  const item = { creatorId: 2, name: `program ${n}`, description: '', version: 1, data: 'x', tags: ['program'], thumbnail: PICTURE };
  const key = { idempotencyKey: `program-${n}-${rated}` };
  const { contentId: id } = await ugc.upload(item, key);
  expect((await ugc.upload(item, key)).contentId).toBe(id);
  const { data: read } = await ugc.getContent({ path: { id }, query: { include: ['tags'] } });
  expect(read).toMatchObject({ contentId: id, creatorId: 2, name: item.name, version: 1, data: 'x', tags: ['program'] });
  expect(Buffer.from(await (await ugc.thumbnail(id)).arrayBuffer())).toEqual(PICTURE);
  expect(await ugc.edit(id, ({ version }) => ({ version: version + 1 }))).toMatchObject({ contentId: id, name: item.name, version: 2 });
  expect((await ugc.getIndexStatus({ path: { id } })).data).toMatchObject({ contentId: id, revision: expect.any(Number) });
  await ugc.rateContent({ path: { id: rated }, body: { score: scoreOf(n) } });
  expect((await ugc.getRating({ path: { id: rated } })).data).toMatchObject({ score: scoreOf(n) });
  expect((await ugc.list({ prompt, size: 1 })).totalElements).toBe(steady.length);
  expect((await ugc.countFacets({ query: { prompt } })).data.totalElements).toBe(steady.length);
  const { completions } = (await ugc.suggestContent({ query: { prompt: prompt.slice(0, -2) } })).data;
  expect(completions).toContainEqual(expect.objectContaining({ type: 'name', text: expect.stringContaining(prompt) }));
  expect((await ugc.listSimilarContent({ path: { id: steady[0] ?? 0 } })).data.content).toEqual(expect.any(Array));
  const exported: number[] = [];
  for await (const { contentId } of ugc.items({ prompt, size: Math.ceil(steady.length / 2) })) exported.push(contentId);
  expect(exported.toSorted((a, b) => a - b)).toEqual(steady);
  await ugc.delete(id);
  await expect(ugc.getContent({ path: { id } })).rejects.toMatchObject({ status: 404, code: 'item-unknown' });
}

/** Not one of those that count for what is popular. */
export function scoreOf(n: number): number {
  return 1 + (n % 3);
}
