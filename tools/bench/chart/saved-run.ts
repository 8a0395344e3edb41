import { UsageError } from '@ugc/shared/cli/command';
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Figure } from '../table/figure.ts';

const UNITS: Figure['unit'][] = ['requests/s', 'items/s', 'ms', 's', 'MB'];

const FigureSchema = z.object({
  path: z.string(),
  unit: z.enum(UNITS),
  limitedBy: z.string(),
  rounds: z.array(z.object({ ours: z.number().nonnegative(), limit: z.number().positive() })).nonempty(),
  goal: z.union([z.object({ atLeast: z.number().positive() }), z.object({ atMost: z.number().positive() })]),
  // JSON has no number for what could not be computed, such as the time per request of no requests.
  details: z
    .record(
      z.string(),
      z
        .number()
        .nullable()
        .transform((value) => value ?? NaN),
    )
    .optional(),
});

const SavedRunSchema = z.object({
  items: z.number().int().positive(),
  rounds: z.number().int().positive(),
  cores: z.number().int().positive(),
  figures: z.array(FigureSchema).nonempty(),
});

/** A run of the benchmark: its figures and what they depend on. `rounds` is how often each pair was measured. */
export type SavedRun = { items: number; rounds: number; cores: number; figures: Figure[] };

export async function saveRun(file: string, run: SavedRun): Promise<void> {
  await writeFile(file, `${JSON.stringify(run, null, 2)}\n`);
}

/** @throws UsageError that names the file and the value, if it is not what `saveRun` writes */
export async function readRun(file: string): Promise<SavedRun> {
  const parsed = SavedRunSchema.safeParse(await readJson(file));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the whole'}: ${message}`);
  throw new UsageError(`${file} must be written by npx pnpm bench --json; ${problems.join('; ')}`);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${file} must be a JSON file: ${(error as Error).message}`);
  }
}

/** @returns the figures of all runs; one of a later run takes the place of that with the same path */
export function mergeFigures(runs: SavedRun[]): Figure[] {
  const byPath = new Map(runs.flatMap(({ figures }) => figures).map((figure) => [figure.path, figure]));
  return [...byPath.values()];
}

/** @returns for example `10,000 and 1,000,000 items, 5 rounds, 2 cores` */
export function conditionsOf(runs: SavedRun[]): string {
  return (['items', 'rounds', 'cores'] as const).map((key) => `${distinct(runs.map((run) => run[key]))} ${key}`).join(', ');
}

function distinct(values: number[]): string {
  const sorted = [...new Set(values)].toSorted((a, b) => a - b);
  return sorted.map((value) => value.toLocaleString('en')).join(' and ');
}
