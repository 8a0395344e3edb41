import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../percentile.ts';
import type { BenchStack } from './bench-stack.ts';
import { uploadRequests } from './requests.ts';

const UPLOADS_PER_SECOND = 50;
const SECONDS = 10;
const UPLOADS_PER_LIST = 5;
/** Each page is read every two seconds. The index is refreshed each second, so that no cache has it. */
const PAGES = 20;

/** @returns the median response time of the newest items, in milliseconds, while items are uploaded */
export async function listBesideUploadsMs(stack: BenchStack): Promise<number> {
  const { cluster, users } = stack;
  const uploads = uploadRequests(stack);
  const headers = { authorization: users[0]?.authorization ?? '' };
  const durations: number[] = [];
  const sent: Promise<unknown>[] = [];
  const send = async (path: string, init: RequestInit): Promise<void> => {
    const response = await fetch(`${cluster.client.baseUrl}${path}`, init);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path} returned ${response.status}`);
  };
  for (let n = 0, at = performance.now(); n < SECONDS * UPLOADS_PER_SECOND; n += 1, at += 1_000 / UPLOADS_PER_SECOND) {
    await delay(Math.max(0, at - performance.now()));
    const { path = '', method = '', headers: own, body } = uploads[n % uploads.length] ?? {};
    sent.push(send(path, { method, headers: own as Record<string, string>, body: body as string }));
    if (n % UPLOADS_PER_LIST > 0) continue;
    const startedAt = performance.now();
    await send(`/api/content?page=${(n / UPLOADS_PER_LIST) % PAGES}`, { headers });
    durations.push(performance.now() - startedAt);
  }
  await Promise.all(sent);
  await cluster.indexed();
  return median(durations);
}
