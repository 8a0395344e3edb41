import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openIndexQueue, type IndexQueue } from '@ugc/shared/contracts/index-queue';
import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { Redis } from 'ioredis';
import { indexCommand } from '../support/processes/command.ts';
import { scrape } from '../support/http/scrape.ts';
import { startService, type Service } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

let service: Service;
let redis: Redis;
/** Opens it as a dashboard does. */
let queue: IndexQueue;
beforeAll(async () => {
  service = await startService();
  redis = new Redis(service.env['REDIS_URL'] ?? '');
  queue = openIndexQueue(redis, service.env['QUEUE_PREFIX'] ?? '', () => undefined);
});
afterAll(async () => {
  redis.disconnect();
  await service.stop();
});

async function isPausedInStatus(): Promise<boolean> {
  const status = (await fetch(`${service.operationsUrl}/status`).then((response) => response.json())) as OperationsStatus;
  return 'value' in status.queue && status.queue.value.paused;
}

it('a queue that somebody pauses in BullMQ is shown as paused, loses no jobs, and is resumed by index:resume', async () => {
  expect((await scrape(service.operationsUrl)).get('ugc_queue_paused')).toBe(0);
  await queue.pause();
  await service.client.upload({ name: 'while paused' });
  await until('the status of operators shows it', isPausedInStatus);
  expect((await scrape(service.operationsUrl)).get('ugc_queue_paused')).toBe(1);
  expect((await indexCommand(service.env, 'index-status')).stdout).toMatch(
    /the queue is paused by BullMQ: npx pnpm index:resume resumes it/,
  );
  await until('a job waits', async () => {
    const [status] = (await indexCommand(service.env, 'index-status', '--json')).json;
    return (status as { queue: { waiting: number } }).queue.waiting > 0;
  });
  expect((await indexCommand(service.env, 'index-status', '--json')).json).toMatchObject([{ queue: { paused: true }, pausedSince: null }]);
  expect(await indexCommand(service.env, 'index-pause', 'resume')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('is resumed as well'),
  });
  await service.indexed();
  expect(await service.client.search('"while paused"')).toEqual(['while paused']);
  expect((await scrape(service.operationsUrl)).get('ugc_relay_lost_jobs_total')).toBe(0);
  await until('the status of operators shows the end', async () => !(await isPausedInStatus()));
});
