import { afterEach, beforeEach, expect } from '@jest/globals';
import type { ApiAlone } from '../processes/api-alone.ts';
import { countContent } from './stored-content.ts';

/** After every test, checks that it has stored only `count` items and that a valid upload succeeds. */
export function expectStored(api: () => ApiAlone): { count: number } {
  const stored = { count: 0 };
  let before = 0;
  beforeEach(async () => {
    stored.count = 0;
    before = await countContent(api().database);
  });
  afterEach(async () => {
    expect((await countContent(api().database)) - before).toBe(stored.count);
    await api().client.upload();
  });
  return stored;
}
