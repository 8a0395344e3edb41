import { ACCESS_MUTANTS } from './access.ts';
import { LIMITS_MUTANTS } from './limits.ts';
import type { Mutant } from './mutant.ts';
import { PROTOCOL_MUTANTS } from './protocol.ts';

/** Every rule whose removal a test must notice. A change of a rule changes its mutant. */
export const MUTANTS: Mutant[] = [...PROTOCOL_MUTANTS, ...ACCESS_MUTANTS, ...LIMITS_MUTANTS];
