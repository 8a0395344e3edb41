import type { Mutant } from './mutant.ts';

/** How the figures of the benchmark are shown. */
export const BENCHMARK_MUTANTS: Mutant[] = [
  {
    file: 'test/bench/chart/saved-run.ts',
    from: 'runs.flatMap(',
    to: 'runs.toReversed().flatMap(',
    why: 'the chart of several runs shows the oldest figure of a path',
    test: 'unit/bench-chart',
  },
  {
    file: 'test/bench/chart/panels.ts',
    from: "figures.filter(({ goal }) => 'atMost' in goal)",
    to: 'figures',
    why: 'the chart shows rates among the figures of which less is better',
    test: 'unit/bench-chart',
  },
  {
    file: 'test/bench/chart/panels.ts',
    from: 'flatMap(({ highest, goal }) => [highest, goal])',
    to: 'flatMap(({ highest }) => [highest])',
    why: 'the chart hides a goal that no figure is near',
    test: 'unit/bench-chart',
  },
  {
    file: 'test/bench/chart/saved-run.ts',
    from: 'limit: z.number().positive()',
    to: 'limit: z.number()',
    why: 'the chart shows an infinite ratio',
    test: 'unit/bench-chart',
  },
];
