import { describe, expect, it } from '@jest/globals';
import {
  exceptionsOf,
  migrationOf,
  problemsOf,
  readMigration,
  readProgram,
  unreleasedMigrations,
} from '../support/database/check-migrations.ts';
import { filesOf, newestTag } from '../support/cluster/git.ts';

/** Those of the first release, in a clone without tags. */
const FIRST = ['001_content.sql', '002_index.sql', '003_life.sql', '004_steering.sql', '005_previous_until_swapped.sql'];
const FOLDER = 'packages/shared/migrations';
const tag = newestTag();
const unreleased = unreleasedMigrations(tag === undefined ? FIRST : filesOf(tag, FOLDER));

/** Every exception that a migration since the newest release makes. */
const EXCEPTIONS: [string, string][] = [
  ['008_identity.sql', 'adding-field-with-default'],
  ['008_identity.sql', 'require-concurrent-index-creation'],
  ['008_identity.sql', 'require-concurrent-index-deletion'],
];

it.each(unreleased)('old processes can work beside new ones after the migration %s, and it locks no large table', async (name) => {
  expect(problemsOf(await readMigration(name))).toEqual([]);
});

it('every exception is in the table of this test', async () => {
  const found = await Promise.all(
    unreleased.map(async (name) => Object.keys(exceptionsOf(await readMigration(name))).map((rule) => [name, rule])),
  );
  expect(found.flat().toSorted()).toEqual(EXCEPTIONS.filter(([name]) => unreleased.includes(name)));
});

describe('a migration is refused with the rule and what to write instead', () => {
  it.each([
    ['alter table content drop column data', 'ban-drop-column: the previous release uses it'],
    ['alter table content rename column data to body', 'renaming-column: add a column'],
    ['alter table content rename to item', 'renaming-table: the previous release uses the name'],
    ['drop table rating', 'ban-drop-table: the previous release uses it'],
    ['alter table content alter column version type bigint', 'changing-column-type: add a column of the new type'],
    ['alter table content alter column deleted_at set not null', 'adding-not-nullable-field: add `check (COLUMN is not null) not valid`'],
    ['alter table content add column license text not null', 'adding-required-field: the previous release does not write it'],
    ['alter table content add column token uuid default gen_random_uuid()', 'adding-field-with-default: it rewrites the table'],
    ['alter table content add column size integer generated always as (length(data)) stored', 'adding-field-with-default: it rewrites'],
    ['create index content_name on content (name)', 'require-concurrent-index-creation: write `create index concurrently'],
    [
      'create index concurrently content_name on content (name)',
      'ban-concurrent-index-creation-in-transaction: write the migration as NNN',
    ],
    ['alter table content add foreign key (version) references users', 'adding-foreign-key-constraint: add it `not valid`'],
    ['alter table content add constraint short check (length(data) < 9)', 'constraint-missing-not-valid: add it `not valid`'],
    ['alter table content add constraint one unique (name)', 'disallowed-unique-constraint: create a unique index concurrently'],
    ['alter table content ad column x', 'syntax-error: correct the statement'],
  ])('%s', (sql, problem) => {
    expect(problemsOf(migrationOf(`-- Up Migration\n\n${sql};\n`)).join('\n')).toContain(`line 3: ${problem}`);
  });
});

it.each([
  'alter table content add column license text',
  "alter table content add column license text not null default 'none'",
  'alter table content add constraint short check (length(data) < 9) not valid',
  'alter table content validate constraint short',
  'create table license (content_id bigint primary key references content, name text not null); create index on license (name)',
  'select 1;\n-- Down Migration\ndrop table content',
])('a migration may contain: %s', (sql) => {
  expect(problemsOf(migrationOf(`-- Up Migration\n${sql};\n`))).toEqual([]);
});

it('a migration that creates an index outside of a transaction is accepted', async () => {
  const up = (pgm: { sql(text: string): void; noTransaction(): void }): void => {
    pgm.noTransaction();
    pgm.sql('create index concurrently if not exists content_name on content (name)');
  };
  expect(problemsOf(await readProgram('', { up }))).toEqual([]);
});

it('an exception needs a reason, and squawk-ignore is not one', () => {
  const drop = 'alter table content drop column data;\n';
  expect(problemsOf(migrationOf(`-- Exception ban-drop-column: version 1.2 stopped using it\n${drop}`))).toEqual([]);
  expect(problemsOf(migrationOf(`-- Exception ban-drop-column:\n${drop}`))).toHaveLength(1);
  expect(problemsOf(migrationOf(`-- squawk-ignore ban-drop-column\n${drop}`))[0]).toContain('instead of squawk-ignore');
});
