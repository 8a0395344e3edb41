import { describe, expect, it } from '@jest/globals';
import { indexersWanted } from '@ugc/shared/status/indexers-wanted';
import fc from 'fast-check';

const SCALING = { pendingPerIndexer: 20_000, maxIndexers: 3 };

describe('the number of indexers that are wanted', () => {
  it.each([
    [0, { pending: 0, isIdle: true, canShare: true }, 'nothing is to be done'],
    [0, { pending: 0, isIdle: true, canShare: false }, 'nothing is to be done, and Elasticsearch is down'],
    [1, { pending: 1, isIdle: true, canShare: true }, 'a change is pending'],
    [1, { pending: 0, isIdle: false, canShare: true }, 'the index or a purge needs one'],
    [1, { pending: 20_000, isIdle: true, canShare: true }, 'as many changes as one indexer takes are pending'],
    [2, { pending: 20_001, isIdle: true, canShare: true }, 'one change more is pending'],
    [3, { pending: 5_000_000, isIdle: false, canShare: true }, 'the backlog exceeds the maximum'],
    [1, { pending: 5_000_000, isIdle: false, canShare: false }, 'more indexers would help nobody'],
  ])('is %i with %j: %s', (wanted, work) => {
    expect(indexersWanted(work, SCALING)).toBe(wanted);
  });

  it('never falls when more changes are pending, and stays between 0 and the maximum', () => {
    const work = fc.record({ pending: fc.nat(1_000_000), isIdle: fc.boolean(), canShare: fc.boolean() });
    fc.assert(
      fc.property(work, fc.nat(1_000_000), fc.integer({ min: 1, max: 20 }), (now, more, maxIndexers) => {
        const scaling = { ...SCALING, maxIndexers };
        const [before, after] = [indexersWanted(now, scaling), indexersWanted({ ...now, pending: now.pending + more }, scaling)];
        expect(before).toBeGreaterThanOrEqual(0);
        expect(after).toBeGreaterThanOrEqual(before);
        expect(after).toBeLessThanOrEqual(maxIndexers);
      }),
    );
  });
});
