import type { Mutant } from './mutant.ts';

const test = 'environments/before-release-1';
const file = 'packages/shared/src/postgres/before-release-1.ts';

/** Databases of commits before 1.0.0. */
export const BEFORE_RELEASE_1_MUTANTS: Mutant[] = [
  {
    file,
    within: 'refusalOf',
    from: 'isLast(applied)',
    to: 'true',
    why: 'a database of an earlier commit is used without the columns that it lacks',
    test,
  },
  {
    file,
    within: 'isLast',
    from: 'String(applied.toSorted()) === String(LAST)',
    to: 'LAST.every((name) => applied.includes(name))',
    why: 'a database of a commit that nobody knows is taken for one of 1.0.0',
    test,
  },
  {
    file,
    within: 'STEPS',
    from: ', replica identity using index idempotency_key_bytes',
    to: '',
    why: 'with a publication of all tables, no key is removed, so that uploads with a key fail',
    test,
  },
  {
    file: 'packages/shared/src/postgres/migrate.ts',
    within: 'bringForward',
    from: 'await withLocks(migrating, RELEASE_1, () => client.query(step))',
    to: 'await client.query(step)',
    why: 'a backup makes the step to 1.0.0 fail',
    test,
  },
  {
    file: 'packages/shared/src/postgres/schema.ts',
    within: 'createSchemaCheck',
    from: 'reason: refusalOf(applied)',
    to: 'reason: undefined',
    why: 'nobody learns which commit brings the database forward',
    test,
  },
  {
    file: 'services/api/src/commands/restore.ts',
    within: 'transaction',
    from: '${REFUSE_EARLIER};\\n',
    to: '',
    why: 'a backup is restored that this release does not use',
    test,
  },
];
