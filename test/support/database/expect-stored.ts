import { afterEach, expect } from '@jest/globals';
import type { ApiAlone } from '../processes/api-alone.ts';
import { countContent } from './stored-content.ts';

/** After every test, checks that only `count` items are stored and that a valid upload succeeds. */
export function expectStored(api: () => ApiAlone): { count: number } {
  const stored = { count: 0 };
  afterEach(async () => {
    expect(await countContent(api().database)).toBe(stored.count);
    await api().client.upload();
    stored.count += 1;
  });
  return stored;
}
