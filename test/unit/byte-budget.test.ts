import { describe, expect, it } from '@jest/globals';
import { ByteBudget, shareOf } from '@ugc/api/traffic/byte-budget';

describe('a budget of bytes', () => {
  const create = () => new ByteBudget({ userLimitBytes: 60, processLimitBytes: 100 }, (exhausted) => new Error(exhausted));

  it('bounds the sum of what one user holds', () => {
    const budget = create();
    budget.reserve(1).add(40);
    const second = budget.reserve(1);
    second.add(20);
    expect(() => second.add(1)).toThrow('user');
    expect(budget.usedBytes).toBe(60);
  });

  it('bounds the sum of what all users hold', () => {
    const budget = create();
    budget.reserve(1).add(60);
    budget.reserve(2).add(40);
    expect(() => budget.reserve(3).add(1)).toThrow('process');
    expect(budget.usedBytes).toBe(100);
  });

  it('gets back all that a request held, once', () => {
    const budget = create();
    const other = budget.reserve(1);
    other.add(10);
    const held = budget.reserve(1);
    held.add(20);
    held.add(30);
    held.release();
    held.release();
    expect(budget.usedBytes).toBe(10);
    budget.reserve(1).add(50);
  });

  it('gives one user a quarter, and always room for the largest request', () => {
    expect(shareOf(1_000, 100)).toEqual({ processLimitBytes: 1_000, userLimitBytes: 250 });
    expect(shareOf(1_000, 900)).toEqual({ processLimitBytes: 1_000, userLimitBytes: 900 });
  });
});
