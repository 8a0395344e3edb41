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

/** Measures some rows of the table. Stops whatever it has started. */
export type Section = (bench: { stack: BenchStack; rounds: number }) => Promise<Figure[]>;
