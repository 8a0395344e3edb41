import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endOnSignal } from '../../with-servers.ts';
import { saveRun } from '../chart/saved-run.ts';
import { reachesGoal, summaryOf, type Figure } from '../table/figure.ts';
import { fieldRows } from './field-rows.ts';
import { measureInTurn, warmUp, type Row } from './in-turn.ts';
import { plainRows, promptRows } from './prompt-rows.ts';
import { LICENCES } from './side-items.ts';
import { benchDefinitions, startSides, type SideOptions } from './side.ts';

export type SidesOptions = { items: number; rounds: number; rows?: string; json?: string; data?: string };

/** This source beside another release of it: the same items, the same prompts, in turn. */
export function benchRelease({ release, ...options }: SidesOptions & { release: string }): Promise<void> {
  const sides = [{ name: 'present' }, { name: 'release', checkout: `${resolve(release)}/` }];
  return bench(sides, promptRows(options.items), options);
}

/** Lists of this source beside those of the same source that runs one `multi_match`. */
export function benchPlain(options: SidesOptions): Promise<void> {
  const replaced = { NODE_OPTIONS: `--import ${import.meta.resolve('../plain/replace-search.mjs')}` };
  return bench([{ name: 'present' }, { name: 'plain', env: replaced }], plainRows(options.items), options);
}

/** Items with four declared fields beside the same items without. */
export function benchFields(options: SidesOptions): Promise<void> {
  return bench([{ name: 'fields', definitions: benchDefinitions(LICENCES) }, { name: 'present' }], fieldRows(options.items), options);
}

async function bench(sides: SideOptions[], all: Row[], options: SidesOptions): Promise<void> {
  const { items, rounds, rows: pattern = '', json, data } = options;
  const folder = data ?? (await mkdtemp(join(tmpdir(), 'bench-sides-')));
  endOnSignal(folder);
  const stack = await startSides(sides, items, folder);
  const figures: Figure[] = [];
  const rows = all.filter(({ path }) => new RegExp(pattern).test(path));
  await warmUp(stack, rows);
  for (const row of rows) {
    figures.push(await measureInTurn(stack, row, rounds));
    if (json !== undefined) await saveRun(json, { items, rounds, cores: availableParallelism(), figures });
  }
  console.table(figures.map((figure) => ({ path: figure.path, unit: figure.unit, ...summaryOf(figure), reached: reachesGoal(figure) })));
  await stack.stop();
  if (data === undefined) await rm(folder, { recursive: true, force: true });
}
