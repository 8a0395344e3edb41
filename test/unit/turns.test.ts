import { expect, it } from '@jest/globals';
import { PerItemQueue } from '@ugc/api/content/per-item-queue';
import { CommitUnknown, DatabaseUnavailable } from '@ugc/shared/stores/postgres';

async function secondAfter(error: Error): Promise<string> {
  const turns = new PerItemQueue();
  const first = turns.run(1, () => Promise.reject(error));
  const second = turns.run(1, () => Promise.resolve('done'));
  await expect(first).rejects.toBe(error);
  return second;
}

it('a change of an item does not wait for a database that was away for the change before it', async () => {
  await expect(secondAfter(new DatabaseUnavailable('away'))).rejects.toThrow('away');
});

it('a change of an item is made when the commit of the one before it was not answered, which says nothing about this one', async () => {
  expect(await secondAfter(new CommitUnknown('the commit was not answered'))).toBe('done');
});
