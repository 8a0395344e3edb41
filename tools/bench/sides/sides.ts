import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endOnSignal } from '../../with-servers.ts';
import { saveRun } from '../chart/saved-run.ts';
import { reachesGoal, summaryOf, type Figure } from '../table/figure.ts';
import { LICENCES } from '../collection/site.ts';
import { besideChanges } from './beside-changes.ts';
import { insertDrafts } from './drafts.ts';
import { fieldRows, uploadRow } from './field-rows.ts';
import { growthRows } from './growth-rows.ts';
import { measureInTurn, warmUp, type Row } from './in-turn.ts';
import { plainRows, promptRows } from './prompt-rows.ts';
import { benchDefinitions, startSides, type Side, type SideOptions, type Sides } from './side.ts';

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

const FEW_ITEMS = 10_000;

/** Many items beside 10,000. Segments are as the rebuild leaves them. */
export function benchGrowth(options: SidesOptions): Promise<void> {
  const few = { name: 'few', title: `itself with ${FEW_ITEMS.toLocaleString('en')} items`, items: FEW_ITEMS };
  const sides = [{ name: 'present' }, few].map((side) => ({ ...side, isMerged: false }));
  return bench(sides, ({ sides: [many] }) => growthRows(options.items, FEW_ITEMS, many as Side), options, besideChanges);
}

const DRAFTS = 1_000_000;
const DRAFTS_AT_MOST = 1.05;

/** Uploads of a database with a million drafts beside those of one without. */
export function benchDrafts(options: SidesOptions): Promise<void> {
  const rows = async ({ sides: [drafts] }: Sides): Promise<Row[]> => {
    await insertDrafts(drafts as Side, DRAFTS);
    return [{ ...uploadRow, path: `upload, ${DRAFTS.toLocaleString('en')} drafts`, atMost: DRAFTS_AT_MOST }];
  };
  return bench([{ name: 'drafts' }, { name: 'present', title: 'itself without drafts' }], rows, options);
}

const BESIDE_CHANGES = 'list of 10, commit to searchable, beside uploads';

type RowsOf = (stack: Sides) => Promise<Row[]>;
/** Measures what is not a row. */
type Others = (stack: Sides, rounds: number) => Promise<Figure[]>;

async function bench(sides: SideOptions[], of: Row[] | RowsOf, options: SidesOptions, others?: Others): Promise<void> {
  const { items, data } = options;
  const folder = data ?? (await mkdtemp(join(tmpdir(), 'bench-sides-')));
  endOnSignal(folder);
  const stack = await startSides(sides, items, folder);
  try {
    await measureRows(stack, of, options, others);
  } finally {
    await stack.stop();
    if (data === undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function measureRows(stack: Sides, of: Row[] | RowsOf, options: SidesOptions, others?: Others): Promise<void> {
  const { items, rounds, rows: pattern = '', json } = options;
  const all = typeof of === 'function' ? await of(stack) : of;
  const figures: Figure[] = [];
  const save = async (): Promise<void> => {
    if (json !== undefined) await saveRun(json, { items, rounds, cores: availableParallelism(), figures });
  };
  const rows = all.filter(({ path }) => new RegExp(pattern).test(path));
  await warmUp(stack, rows);
  for (const row of rows) {
    figures.push(await measureInTurn(stack, row, rounds));
    await save();
  }
  if (others && new RegExp(pattern).test(BESIDE_CHANGES)) figures.push(...(await others(stack, rounds)));
  await save();
  console.table(
    figures.map((figure) => ({
      path: figure.path,
      unit: figure.unit,
      ...summaryOf(figure),
      reached: reachesGoal(figure),
      ...figure.details,
    })),
  );
}
