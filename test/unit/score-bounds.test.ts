import { expect, it } from '@jest/globals';
import { minScore } from '@ugc/api/search/pages/sections';
import fc from 'fast-check';

const score = fc.float({ min: 0, max: Math.fround(1e9), noNaN: true });

it('the scores from a score on begin at this score', () => {
  fc.assert(fc.property(score, (from) => expect(minScore(from, true)).toBe(from)));
});

it('the scores above a score begin at the next one, so that no item between two sections is skipped', () => {
  fc.assert(
    fc.property(score, (from) => {
      const next = minScore(from, false);
      expect(next).toBeGreaterThan(from);
      // No 32-bit number lies between them.
      expect([from, next]).toContain(Math.fround((from + next) / 2));
    }),
  );
});
