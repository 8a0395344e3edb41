import { expect, it } from '@jest/globals';
import { BacklogHistory } from '@ugc/shared/status/backlog-history';
import { until } from '../support/jest/until.ts';

const backlog = (pending: number) => ({ pending, rejected: 0, oldestPendingSeconds: pending === 0 ? null : 1.5 });

it('the samples of the backlog are in the order of time, and the oldest are dropped', async () => {
  let reads = 0;
  const history = new BacklogHistory(() => Promise.resolve(backlog(++reads)), { intervalMs: 1, keptMs: 10 });
  history.start();
  await until('more samples were taken than are kept', () => reads > 30);
  await history.stop();
  const { samples } = history;
  expect(samples.length).toBeLessThanOrEqual(11);
  const pending = samples.map((sample) => sample.pending ?? 0);
  expect(pending.at(-1)).toBe(reads);
  expect(pending).toEqual(pending.toSorted((a, b) => a - b));
});

it('a backlog that cannot be read is a sample without a number, and sampling continues', async () => {
  let reads = 0;
  const read = () => (++reads === 1 ? Promise.reject(new Error('down')) : Promise.resolve(backlog(0)));
  const history = new BacklogHistory(read, { intervalMs: 1 });
  history.start();
  await until('two samples were taken', () => history.samples.length >= 2);
  await history.stop();
  expect(history.samples.slice(0, 2)).toEqual([
    { time: expect.any(String), pending: null, oldestPendingSeconds: null },
    { time: expect.any(String), pending: 0, oldestPendingSeconds: null },
  ]);
});
