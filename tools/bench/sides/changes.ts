import { setTimeout as delay } from 'node:timers/promises';
import { tokenOf } from '../../../test/support/http/tokens.ts';
import { authorizationOf } from './in-turn.ts';
import { upload } from './field-rows.ts';
import type { Side } from './side.ts';

/** What goes on beside a measurement, per second. */
export const CHANGES = { uploads: 10, edits: 5, downloads: 10 };
const OWNERS = 500;

/** Uploads, edits and downloads of a side, until `end` is called, which returns how many have failed. */
export async function startChanges(side: Side): Promise<{ end(): Promise<number> }> {
  const owners = await ownersOf(side);
  const sent = new Set<Promise<void>>();
  const state = { isEnded: false, failed: 0 };
  const repeat = async (perSecond: number, send: (n: number) => Promise<void>): Promise<void> => {
    for (let n = 0, at = performance.now(); !state.isEnded; n += 1, at = Math.max(at + 1_000 / perSecond, performance.now() - 1_000)) {
      await delay(Math.max(0, at - performance.now()));
      const one = send(n)
        .catch(() => void (state.failed += 1))
        .finally(() => sent.delete(one));
      sent.add(one);
    }
  };
  const running = [
    repeat(CHANGES.uploads, (n) => upload(side, n)),
    repeat(CHANGES.edits, (n) => edit(side, owners[n % owners.length], n)),
    repeat(CHANGES.downloads, (n) => download(side, n)),
  ];
  const end = async (): Promise<number> => {
    state.isEnded = true;
    await Promise.all(running);
    await Promise.all(sent);
    await side.cluster.indexed();
    return state.failed;
  };
  return { end };
}

type Owner = { contentId: number; authorization: string };

/** Items from the whole collection, and the tokens of their creators. */
async function ownersOf({ cluster, items }: Side): Promise<Owner[]> {
  const ids = Array.from({ length: OWNERS }, (_, n) => 1 + ((n * 7_919) % items));
  const select = 'select content_id, creator_id from content where content_id = any($1)';
  const rows = await cluster.database.query<{ contentId: number; creatorId: number }>(select, [ids]);
  return Promise.all(rows.map(async ({ contentId, creatorId }) => ({ contentId, authorization: `Bearer ${await tokenOf(creatorId)}` })));
}

async function edit(side: Side, owner: Owner | undefined, n: number): Promise<void> {
  const { contentId, authorization } = owner ?? {};
  const body = JSON.stringify({ description: `edited for the ${n}th time` });
  const headers = { 'content-type': 'application/merge-patch+json', authorization: authorization ?? '' };
  await send(side, `/api/content/${contentId}`, { method: 'PATCH', headers, body });
}

function download(side: Side, n: number): Promise<void> {
  return send(side, `/api/content/${1 + ((n * 104_729) % side.items)}/downloads`, { method: 'POST', headers: authorizationOf(side, n) });
}

async function send({ name, cluster }: Side, path: string, init: RequestInit): Promise<void> {
  const response = await fetch(cluster.client.baseUrl + path, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${name}: ${path} returned ${response.status}: ${text}`);
}
