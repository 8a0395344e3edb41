/** The unit tests that know a file, and the names of those that take long and know nothing more. */
export type Covered = { tests: string[]; except?: RegExp };

const ways: Covered = { tests: ['unit/ways'] };

/** The files whose mutants are made by machine: pure functions that unit tests know. */
export const GENERATED: Record<string, Covered> = {
  'packages/text/src/ways/affixes.ts': ways,
  'packages/text/src/ways/edits.ts': ways,
  'packages/text/src/ways/english-forms.ts': { tests: ['unit/ways', 'unit/alternatives'] },
  'packages/text/src/ways/japanese-and-chinese.ts': ways,
  'packages/text/src/ways/parts.ts': { tests: ['unit/ways', 'unit/stages'] },
  'packages/text/src/ways/ways.ts': { tests: ['unit/ways', 'unit/alternatives'] },
  'packages/text/src/prompt/alternatives.ts': { tests: ['unit/alternatives'] },
  'packages/text/src/prompt/joins.ts': { tests: ['unit/alternatives'] },
};
