import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { qualityOf } from '@ugc/indexer/documents/quality';

const times = fc.date({ min: new Date('1970-01-01'), max: new Date('2500-01-01'), noInvalidDate: true });
const items = fc.record({
  scores: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 50 }),
  downloadsCount: fc.maxSafeNat(),
  createdAt: times,
});
type Item = typeof items extends fc.Arbitrary<infer T> ? T : never;

const of = ({ scores, ...item }: Item) =>
  qualityOf({ ...item, ratingSum: scores.reduce((sum, score) => sum + score, 0), ratingCount: scores.length });

it('the best item passes one that matches more than 16/9 times as well for no ratings, downloads or age', () => {
  fc.assert(
    fc.property(items, items, (a, b) => {
      expect(of(a).qualityFactor / of(b).qualityFactor).toBeLessThanOrEqual(16 / 9);
    }),
  );
});

it('a better rating, a download and a later upload never lower the quality, nor the factor', () => {
  fc.assert(
    fc.property(items, times, (item, later) => {
      const before = of(item);
      const improved: Item[] = [
        { ...item, scores: [...item.scores, 5] },
        { ...item, downloadsCount: item.downloadsCount + 1 },
        ...(later > item.createdAt ? [{ ...item, createdAt: later }] : []),
      ];
      for (const after of improved.map(of)) {
        expect(after.quality).toBeGreaterThanOrEqual(before.quality);
        expect(after.qualityFactor).toBeGreaterThanOrEqual(before.qualityFactor);
        expect(Number.isFinite(after.quality) && after.quality > 0).toBe(true);
      }
    }),
  );
});

it('an item without ratings, downloads and age has the factor 1, so that a collection without them is sorted by relevance', () => {
  expect(of({ scores: [], downloadsCount: 0, createdAt: new Date('2026-01-01') })).toEqual({ quality: 3.5, qualityFactor: 1 });
});

it('the order of two items does not depend on when they are indexed', () => {
  const older = of({ scores: [5], downloadsCount: 3, createdAt: new Date('2020-01-01') });
  const newer = of({ scores: [5], downloadsCount: 3, createdAt: new Date('2025-01-01') });
  expect(newer.quality / older.quality).toBeCloseTo(Math.E, 2);
  expect(newer.qualityFactor / older.qualityFactor).toBeCloseTo(1.04, 1);
});
