import { CHECKOUT } from '@ugc/local-stack/service-process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { Outcome } from '../run-tests.ts';
import { TestThread } from '../thread.ts';
import { Compiler } from './compiles.ts';
import { GENERATED } from './files.ts';
import { type Generated, generateMutants } from './generate.ts';
import { isKnown, isListed, readSurvivors, type Survivors } from './survivors.ts';

/** `survived` has a reason in the list of survivors, `NEW` has none, `LISTED` is detected although it is in the list. */
export type Verdict = 'killed' | 'survived' | 'NEW' | 'LISTED' | 'baseline fails';
export type GeneratedResult = { file: string; mutant?: Generated; verdict: Verdict; detail: string };

/** Tries the mutants of files, one file after the other. @param sampled at most so many of each file */
export async function runGenerated(files: string[], sampled: number, add: (result: GeneratedResult) => void): Promise<void> {
  const compiler = new Compiler(CHECKOUT, files);
  const survivors = readSurvivors();
  for (const file of files) {
    const thread = new TestThread({ checkout: CHECKOUT, tests: [], ...GENERATED[file] });
    const source = readFileSync(join(CHECKOUT, file), 'utf8');
    const { kind, detail } = await thread.runUnchanged();
    // Otherwise the compiler refuses each mutant.
    const error = compiler.errorOf(file, source);
    if (kind !== 'passed' || error !== undefined) add({ file, verdict: 'baseline fails', detail: error ?? detail });
    else {
      const mutants = sample(generateMutants(source), sampled);
      for (const mutant of mutants) for (const result of await tryMutant(file, mutant, { thread, compiler, survivors })) add(result);
    }
    await thread.end();
  }
}

/** The mutants with the lowest hashes, so that the choice depends on their text alone. */
export function sample(mutants: Generated[], most: number): Generated[] {
  if (mutants.length <= most) return mutants;
  const hashOf = ({ within, from, to, nth }: Generated): string =>
    createHash('sha256')
      .update(JSON.stringify([within, from, to, nth]))
      .digest('hex');
  const hashes = new Map(mutants.map((mutant) => [mutant, hashOf(mutant)]));
  const chosen = new Set(
    [...hashes]
      .toSorted(([, one], [, other]) => (one < other ? -1 : 1))
      .slice(0, most)
      .map(([mutant]) => mutant),
  );
  return mutants.filter((mutant) => chosen.has(mutant));
}

type With = { thread: TestThread; compiler: Compiler; survivors: Survivors };

/** @returns nothing for what is no mutant, because the compiler refuses it */
async function tryMutant(file: string, mutant: Generated, { thread, compiler, survivors }: With): Promise<GeneratedResult[]> {
  const outcome = await thread.run({ file, source: stripTypeScriptTypes(mutant.source) });
  if (isInvalid(outcome)) return [];
  const verdict = isListed(survivors, file, mutant) ? 'LISTED' : 'killed';
  if (outcome.kind !== 'passed') return [{ file, mutant, verdict, detail: outcome.detail }];
  if (isKnown(survivors, file, mutant)) return [{ file, mutant, verdict: 'survived', detail: '' }];
  return compiler.errorOf(file, mutant.source) === undefined ? [{ file, mutant, verdict: 'NEW', detail: '' }] : [];
}

function isInvalid({ kind, detail }: Outcome): boolean {
  return kind === 'broken' && detail.startsWith('SyntaxError');
}
