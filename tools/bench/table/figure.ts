import { median } from '../percentile.ts';
import type { BenchStack } from './bench-stack.ts';

/** One round: the service and its limit, measured directly one after the other. */
export type Round = { ours: number; limit: number };

/** One row of the table: a figure of the service beside its limit, which is measured on the same data in the same run. */
export type Figure = {
  path: string;
  unit: 'requests/s' | 'items/s' | 'ms' | 's' | 'MB';
  limitedBy: string;
  rounds: Round[];
  /** What ours : limit must reach: at least this for rates, at most this for durations and sizes. */
  goal: { atLeast: number } | { atMost: number };
  /** Further figures of the row, such as response times and CPU time per request. */
  details?: Record<string, number>;
};

export function ratioOf({ rounds }: Figure): { ratio: number; lowest: number; highest: number } {
  const ratios = rounds.map(({ ours, limit }) => ours / limit);
  return { ratio: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}

export function reachesGoal(figure: Figure): boolean {
  const { ratio } = ratioOf(figure);
  return 'atLeast' in figure.goal ? ratio >= figure.goal.atLeast : ratio <= figure.goal.atMost;
}

/** @returns what a table prints: the medians of all rounds, the ratio with its spread, and the goal */
export function summaryOf(figure: Figure): { ours: number; limit: number; ratio: string; spread: string; goal: string } {
  const { ratio, lowest, highest } = ratioOf(figure);
  const middle = (side: keyof Round): number => rounded(median(figure.rounds.map((round) => round[side])));
  return {
    ours: middle('ours'),
    limit: middle('limit'),
    ratio: ratio.toFixed(2),
    spread: `${lowest.toFixed(2)} to ${highest.toFixed(2)}`,
    goal: 'atLeast' in figure.goal ? `≥ ${figure.goal.atLeast}` : `≤ ${figure.goal.atMost}`,
  };
}

function rounded(value: number): number {
  return value < 10 ? Number(value.toFixed(2)) : Math.round(value);
}

/** Measures some rows of the table. Stops whatever it has started. */
export type Section = (bench: { stack: BenchStack; rounds: number }) => Promise<Figure[]>;
