import { reachesGoal, summaryOf, type Figure } from '../table/figure.ts';

const HEADER = ['path', 'limit beside it', 'unit', 'service', 'limit', 'ratio', 'spread', 'goal', 'reached'];

/** @returns a table of all figures, and one of the details for each kind of details */
export function toMarkdown(figures: Figure[]): string {
  const detailed = figures.filter(({ details }) => details !== undefined);
  const byKind = Map.groupBy(detailed, ({ details }) => Object.keys(details ?? {}).join());
  return [table(HEADER, figures.map(toCells)), ...[...byKind.values()].map(detailTable)].join('\n');
}

function toCells(figure: Figure): unknown[] {
  const { ours, limit, ratio, spread, goal } = summaryOf(figure);
  return [figure.path, figure.limitedBy, figure.unit, ours, limit, ratio, spread, goal, reachesGoal(figure) ? 'yes' : '**no**'];
}

function detailTable(figures: Figure[]): string {
  const names = Object.keys(figures[0]?.details ?? {});
  const cells = figures.map(({ path, details }) => [path, ...names.map((name) => details?.[name] ?? '')]);
  return table(['path', ...names], cells);
}

function table(header: string[], rows: unknown[][]): string {
  const line = (cells: unknown[]): string => `| ${cells.map(toCell).join(' | ')} |\n`;
  return `${line(header)}|${'---|'.repeat(header.length)}\n${rows.map(line).join('')}`;
}

function toCell(value: unknown): string {
  return typeof value === 'number' ? number(value) : String(value);
}

function number(value: number): string {
  return Number.isFinite(value) ? value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 }) : '';
}
