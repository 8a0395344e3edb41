import { describe, expect, it } from '@jest/globals';
import { ByteBudget, byteLimits } from '@ugc/api/limits/byte-budget';

describe('a byte budget', () => {
  const create = () => new ByteBudget({ userLimitBytes: 60, processLimitBytes: 100 }, (exceeded) => new Error(exceeded));

  it('limits the total bytes of all reservations of one user', () => {
    const budget = create();
    budget.reserve(1).add(40);
    const second = budget.reserve(1);
    second.add(20);
    expect(() => second.add(1)).toThrow('user');
    expect(budget.usedBytes).toBe(60);
  });

  it('limits the total bytes of all reservations of all users', () => {
    const budget = create();
    budget.reserve(1).add(60);
    budget.reserve(2).add(40);
    expect(() => budget.reserve(3).add(1)).toThrow('process');
    expect(budget.usedBytes).toBe(100);
  });

  it('gets all bytes of a reservation back when it is released, and only once', () => {
    const budget = create();
    const other = budget.reserve(1);
    other.add(10);
    const reservation = budget.reserve(1);
    reservation.add(20);
    reservation.add(30);
    reservation.release();
    reservation.release();
    expect(budget.usedBytes).toBe(10);
    budget.reserve(1).add(50);
  });

  it('allows each user a quarter of the process limit, but at least the largest single request', () => {
    expect(byteLimits(1_000, 100)).toEqual({ processLimitBytes: 1_000, userLimitBytes: 250 });
    expect(byteLimits(1_000, 900)).toEqual({ processLimitBytes: 1_000, userLimitBytes: 900 });
  });
});
