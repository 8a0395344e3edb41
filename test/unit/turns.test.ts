import { expect, it } from '@jest/globals';
import { Turns } from '@ugc/api/content/turns';
import { CommitUnknown, DatabaseUnavailable } from '@ugc/shared/postgres';

async function secondAfter(error: Error): Promise<string> {
  const turns = new Turns();
  const first = turns.take(1, () => Promise.reject(error));
  const second = turns.take(1, () => Promise.resolve('done'));
  await expect(first).rejects.toBe(error);
  return second;
}

it('a change of an item does not wait for a database that was away for the change before it', async () => {
  await expect(secondAfter(new DatabaseUnavailable('away'))).rejects.toThrow('away');
});

it('a change of an item is made when the commit of the one before it was not answered, which says nothing about this one', async () => {
  expect(await secondAfter(new CommitUnknown('the commit was not answered'))).toBe('done');
});
