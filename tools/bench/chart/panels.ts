import { ratioOf, reachesGoal, summaryOf, type Figure } from '../table/figure.ts';

const ROW_HEIGHT = 19;
const GROUP_GAP = 7;
/** Where a logarithmic axis begins at the latest. A backlog may be 0. */
const SMALLEST = 1 / 4;

/** A figure in a panel: `y` is the middle of its row in pixels, `limit` is empty if the row above has the same limit. */
export type Row = {
  path: string;
  limit: string;
  y: number;
  median: number;
  lowest: number;
  highest: number;
  goal: number;
  reached: boolean;
  ratioText: string;
  goalText: string;
};

/** Figures of which more, or less, is better. `domain` contains all their ratios and goals, and 1. */
export type Panel = {
  title: string;
  subtitle: string;
  better: 'more' | 'less';
  scale: 'linear' | 'log';
  domain: [number, number];
  ticks: number[];
  rows: Row[];
  height: number;
};

/**
 * @returns one panel for the figures of which more is better, and one for the others. Goals of response times at 256
 * connections are 16 times the limit, those of most others about 1, so the latter panel is logarithmic.
 */
export function toPanels(figures: Figure[]): Panel[] {
  const more = toRows(figures.filter(({ goal }) => 'atLeast' in goal));
  const less = toRows(figures.filter(({ goal }) => 'atMost' in goal));
  const panels = [
    {
      title: 'More is better',
      subtitle: 'requests or items per second, service : limit',
      better: 'more' as const,
      ...more,
      ...linear(more.rows),
    },
    {
      title: 'Less is better',
      subtitle: 'time or memory, service : limit, logarithmic',
      better: 'less' as const,
      ...less,
      ...logarithmic(less.rows),
    },
  ];
  return panels.filter(({ rows }) => rows.length > 0);
}

/** Rows with the same limit stand together. */
function toRows(figures: Figure[]): Pick<Panel, 'rows' | 'height'> {
  const groups = Map.groupBy(figures, ({ limitedBy }) => limitedBy);
  const rows: Row[] = [];
  let top = 0;
  for (const group of groups.values()) {
    rows.push(...group.map((figure, n) => toRow(figure, { isFirst: n === 0, y: top + (n + 0.5) * ROW_HEIGHT })));
    top += group.length * ROW_HEIGHT + GROUP_GAP;
  }
  return { rows, height: Math.max(0, top - GROUP_GAP) };
}

function toRow(figure: Figure, { isFirst, y }: { isFirst: boolean; y: number }): Row {
  const { ratio, lowest, highest } = ratioOf(figure);
  const { ratio: ratioText, goal: goalText } = summaryOf(figure);
  return {
    path: figure.path,
    limit: isFirst ? figure.limitedBy : '',
    y,
    median: ratio,
    lowest,
    highest,
    goal: 'atLeast' in figure.goal ? figure.goal.atLeast : figure.goal.atMost,
    reached: reachesGoal(figure),
    ratioText,
    goalText,
  };
}

type Axis = Pick<Panel, 'scale' | 'domain' | 'ticks'>;

function linear(rows: Row[]): Axis {
  const step = largest(rows) > 2 ? 0.5 : 0.2;
  const steps = Math.floor(largest(rows) / step) + 1;
  return { scale: 'linear', domain: [0, steps * step], ticks: Array.from({ length: steps + 1 }, (_, n) => n * step) };
}

function logarithmic(rows: Row[]): Axis {
  const smallest = Math.max(SMALLEST, Math.min(0.5, ...rows.map(({ lowest }) => lowest)));
  const first = Math.floor(Math.log2(smallest));
  const last = Math.floor(Math.log2(largest(rows))) + 1;
  const ticks = Array.from({ length: last - first + 1 }, (_, n) => 2 ** (first + n));
  return { scale: 'log', domain: [2 ** first, 2 ** last], ticks };
}

function largest(rows: Row[]): number {
  return Math.max(1, ...rows.flatMap(({ highest, goal }) => [highest, goal]));
}
