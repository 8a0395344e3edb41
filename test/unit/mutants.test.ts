import { expect, it } from '@jest/globals';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MUTANTS } from '../../tools/mutants/index.ts';
import { mutate, type Mutant } from '../../tools/mutants/mutant.ts';

/** @returns undefined if the mutant can be applied and its test exists */
function problemOf(mutant: Mutant): string | undefined {
  try {
    mutate(readFileSync(join(CHECKOUT, mutant.file), 'utf8'), mutant);
  } catch (error) {
    return (error as Error).message;
  }
  return existsSync(join(CHECKOUT, 'test', `${mutant.test}.test.ts`)) ? undefined : `${mutant.test} is no test`;
}

it('every mutant quotes a text that occurs exactly once, and names a test', () => {
  expect(MUTANTS.map(problemOf).filter((problem) => problem !== undefined)).toEqual([]);
});
