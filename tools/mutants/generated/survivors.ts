import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Generated } from './generate.ts';

/** A mutant that no test detects, and why none has to. `nth` if the same text occurs several times in the function. */
export type Survivor = { from: string; to: string; nth?: number; reason: string };
/** By file, and by function or constant. */
export type Survivors = Record<string, Record<string, Survivor[]>>;

export const SURVIVORS_FILE = join(import.meta.dirname, 'survivors.json');

export function readSurvivors(): Survivors {
  return JSON.parse(readFileSync(SURVIVORS_FILE, 'utf8')) as Survivors;
}

type Named = Pick<Generated, 'within' | 'from' | 'to' | 'nth'>;

export function isKnown(survivors: Survivors, file: string, mutant: Named): boolean {
  return (survivors[file]?.[mutant.within] ?? []).some((survivor) => isSame(survivor, mutant));
}

function isSame({ from, to, nth = 1 }: Survivor, mutant: Named): boolean {
  return from === mutant.from && to === mutant.to && nth === mutant.nth;
}

/** @returns the survivors of a file that are no mutants of it, because their text has changed */
export function staleIn(survivors: Survivors, file: string, mutants: Named[]): string[] {
  return Object.entries(survivors[file] ?? {}).flatMap(([within, known]) =>
    known
      .filter((survivor) => !mutants.some((mutant) => mutant.within === within && isSame(survivor, mutant)))
      .map(({ from, to }) => `${file}, ${within}: ${from} → ${to}`),
  );
}
