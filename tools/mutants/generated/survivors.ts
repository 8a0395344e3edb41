import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Generated } from './generate.ts';

/**
 * A mutant that no test detects, and why none has to. `nth` if the same text occurs several times in the function. With
 * `all`, no mutant of the function or constant has to be detected, since nothing but time depends on it.
 */
export type Survivor = { from: string; to: string; nth?: number; reason: string } | { all: true; reason: string };
/** By file, and by function or constant. */
export type Survivors = Record<string, Record<string, Survivor[]>>;

export const SURVIVORS_FILE = join(import.meta.dirname, 'survivors.json');

export function readSurvivors(): Survivors {
  return JSON.parse(readFileSync(SURVIVORS_FILE, 'utf8')) as Survivors;
}

type Named = Pick<Generated, 'within' | 'from' | 'to' | 'nth'>;

/** Whether the mutant has an entry of its own. */
export function isListed(survivors: Survivors, file: string, mutant: Named): boolean {
  return entriesOf(survivors, file, mutant).some((survivor) => isSame(survivor, mutant));
}

/** Whether it need not be detected. */
export function isKnown(survivors: Survivors, file: string, mutant: Named): boolean {
  return entriesOf(survivors, file, mutant).some((survivor) => 'all' in survivor || isSame(survivor, mutant));
}

function entriesOf(survivors: Survivors, file: string, { within }: Named): Survivor[] {
  return survivors[file]?.[within] ?? [];
}

function isSame(survivor: Survivor, mutant: Named): boolean {
  if ('all' in survivor) return false;
  const { from, to, nth = 1 } = survivor;
  return from === mutant.from && to === mutant.to && nth === mutant.nth;
}

/** @returns the survivors of a file that are no mutants of it, because their text has changed */
export function staleIn(survivors: Survivors, file: string, mutants: Named[]): string[] {
  return Object.entries(survivors[file] ?? {}).flatMap(([within, known]) => {
    const there = mutants.filter((mutant) => mutant.within === within);
    const isThere = (survivor: Survivor): boolean => there.some((mutant) => 'all' in survivor || isSame(survivor, mutant));
    return known.filter((survivor) => !isThere(survivor)).map((survivor) => `${file}, ${within}: ${textOf(survivor)}`);
  });
}

function textOf(survivor: Survivor): string {
  return 'all' in survivor ? 'all' : `${survivor.from} → ${survivor.to}`;
}
