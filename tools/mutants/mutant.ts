import { rangesOf } from './function-range.ts';

/**
 * A one-line change to the service that the given test file must detect. `from` occurs once in the function, method, class
 * or constant `within` (`Class.method` if several have the name), or once in the file.
 */
export type Mutant = { file: string; within?: string; from: string; to: string; why: string; test: string };

/** @returns the changed source @throws if the text does not occur exactly once */
export function mutate(source: string, { file, within, from, to }: Mutant): string {
  const ranges: [number, number][] = within === undefined ? [[0, source.length]] : rangesOf(source, within);
  const starts = ranges.flatMap(([start, end]) => occurrencesIn(source.slice(start, end), from).map((at) => start + at));
  const [start] = starts;
  if (start === undefined || starts.length > 1)
    throw new Error(`${file}${within === undefined ? '' : `, ${within}`}: the text occurs ${starts.length} times: ${from}`);
  return source.slice(0, start) + to + source.slice(start + from.length);
}

function occurrencesIn(source: string, text: string): number[] {
  const found: number[] = [];
  for (let at = source.indexOf(text); at !== -1; at = source.indexOf(text, at + 1)) found.push(at);
  return found;
}

/** The changed text, what it becomes, and what that breaks. */
type Change = [from: string, to: string, why: string];

/** @param within as of `Mutant` */
export function changes(file: string, within: string | undefined, test: string, rows: Change[]): Mutant[] {
  return rows.map(([from, to, why]) => ({ file, ...(within !== undefined && { within }), from, to, why, test }));
}
