import { describe, expect, it } from '@jest/globals';
import { PerItemQueue } from '@ugc/api/content/per-item-queue';
import { CommitUnknown, DatabaseUnavailable } from '@ugc/shared/stores/postgres-errors';

describe('a queued operation on an item', () => {
  async function runSecondAfter(error: Error): Promise<string> {
    const perItemQueue = new PerItemQueue();
    const first = perItemQueue.run(1, () => Promise.reject(error));
    const second = perItemQueue.run(1, () => Promise.resolve('done'));
    await expect(first).rejects.toBe(error);
    return second;
  }

  it('fails without running when the operation before it failed because the database is unavailable', async () => {
    await expect(runSecondAfter(new DatabaseUnavailable('unavailable'))).rejects.toThrow('unavailable');
  });

  it('runs when the commit of the operation before it is unknown, because that concerns only that operation', async () => {
    expect(await runSecondAfter(new CommitUnknown('the connection was lost during the commit'))).toBe('done');
  });
});
