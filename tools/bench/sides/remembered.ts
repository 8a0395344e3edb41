import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../../test/support/jest/until.ts';
import type { Figure } from '../table/figure.ts';
import { get } from './in-turn.ts';
import { promptOf } from './prompt-rows.ts';
import type { Side, Sides } from './side.ts';

const PROMPTS = 10_000;
/** What is remembered of a prompt and its words expires within this time, which the next request of 1.0.0 does not notice. */
const EXPIRED_AFTER_MS = 10_000;
const MEGABYTE = 1_048_576;

/** The heap of the API after 10,000 distinct prompts, after a collection of garbage: at once, and when all has expired. */
export async function rememberedFigures({ sides }: Sides, items: number): Promise<Figure[]> {
  const [ours, limit] = sides as [Side, Side];
  const measured = new Map<Side, Record<'before' | 'after' | 'expired', number>>();
  for (const side of [limit, ours]) {
    const heap = await heapOf(side);
    const before = await heap.megabytes();
    for (let n = 0; n < PROMPTS; n += 1) await get(pathOf)(side, n);
    const after = await heap.megabytes();
    await delay(EXPIRED_AFTER_MS);
    measured.set(side, { before, after, expired: await heap.megabytes() });
    heap.close();
  }
  function pathOf(n: number): string {
    const prompt = promptOf(n, items, ({ name, description }) => [...name, ...description].slice(0, 3 + (n % 4)).join(' '));
    return `/api/content?size=10&sort=relevance&prompt=${encodeURIComponent(prompt)}`;
  }
  return (['before', 'after', 'expired'] as const).map((when) => ({
    path: `memory, heap of the API ${WHEN[when]}`,
    unit: 'MB',
    limitedBy: limit.name,
    goal: { atMost: 1.05 },
    rounds: [{ ours: measured.get(ours)?.[when] ?? NaN, limit: measured.get(limit)?.[when] ?? NaN }],
  }));
}
const WHEN = { before: 'before', after: `after ${PROMPTS.toLocaleString('en')} distinct prompts`, expired: 'when these have expired' };

/** SIGUSR1 makes Node.js listen for a debugger, and write its address to the log. */
async function heapOf({ cluster: { api, apiLogs } }: Side) {
  const address = (): string | undefined => /Debugger listening on (ws:\S+)/.exec(readFileSync(apiLogs[0] ?? '', 'utf8'))?.[1];
  process.kill(api.pid() ?? NaN, 'SIGUSR1');
  await until('the API listens for a debugger', () => Promise.resolve(address() !== undefined));
  const socket = new WebSocket(address() ?? '');
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  let calls = 0;
  const call = (method: string): Promise<{ usedSize: number }> => {
    const id = (calls += 1);
    socket.send(JSON.stringify({ id, method }));
    return new Promise((resolve) => {
      const receive = ({ data }: MessageEvent): void => {
        const answer = JSON.parse(String(data)) as { id?: number; result: { usedSize: number } };
        if (answer.id !== id) return;
        socket.removeEventListener('message', receive);
        resolve(answer.result);
      };
      socket.addEventListener('message', receive);
    });
  };
  const megabytes = async (): Promise<number> => {
    await call('HeapProfiler.collectGarbage');
    return (await call('Runtime.getHeapUsage')).usedSize / MEGABYTE;
  };
  return { megabytes, close: () => socket.close() };
}
