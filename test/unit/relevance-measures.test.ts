import { describe, expect, it } from '@jest/globals';
import { mean, ndcg, recall, reciprocalRank } from '../relevance/measures.ts';

// log2(2) = 1, log2(3) = 1.58496, log2(4) = 2: the discounts of the first three ranks.
const GRADES = new Map(Object.entries({ best: 2, good: 1, other: 1 }));

describe('nDCG divides the discounted gain by that of the best possible order of all judged documents', () => {
  it.each([
    ['the best possible order is 1', ['best', 'good', 'other', 'unknown'], 1],
    ['documents without a grade keep their rank and add nothing', ['unknown', 'best'], 0.40303],
    ['the best document at the second rank counts less', ['good', 'best', 'other'], 0.88212],
    ['nothing that was found is relevant', ['unknown'], 0],
    ['nothing was found', [], 0],
  ])('%s', (_, ranked, expected) => expect(ndcg(ranked, GRADES)).toBeCloseTo(expected, 5));

  it('only the first ten ranks count', () => {
    const others = Array.from({ length: 10 }, (_, n) => `unknown ${n}`);
    expect(ndcg([...others, 'best'], GRADES)).toBe(0);
    expect(ndcg([...others.slice(1), 'best'], GRADES)).toBeCloseTo(2 / Math.log2(11) / 3.13093, 5);
  });
});

it('recall is the share of the relevant documents among the first twenty', () => {
  const others = Array.from({ length: 19 }, (_, n) => `unknown ${n}`);
  expect(recall([...others, 'best', 'good'], GRADES)).toBeCloseTo(1 / 3, 10);
  expect(recall(['other', 'good', 'best'], GRADES)).toBe(1);
  expect(recall(['best'], new Map(Object.entries({ best: 1, judgedIrrelevant: 0 })))).toBe(1);
});

it('the reciprocal rank is zero beyond the tenth rank', () => {
  const others = Array.from({ length: 10 }, (_, n) => `unknown ${n}`);
  expect(reciprocalRank(['a', 'b', 'c', 'd'], 'd')).toBe(1 / 4);
  expect(reciprocalRank([...others.slice(1), 'item'], 'item')).toBe(1 / 10);
  expect(reciprocalRank([...others, 'item'], 'item')).toBe(0);
});

it('the mean counts every value once', () => expect(mean([1, 0, 0.5])).toBe(0.5));
