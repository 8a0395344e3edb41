import { MIGRATIONS } from '@ugc/shared/postgres/schema';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What the previous release cannot live with, or what locks or rewrites a large table, and what to write instead. */
const RULES: Record<string, string> = {
  'adding-exclusion-constraint': 'check it in the code: an exclusion constraint cannot be added without a lock',
  'adding-field-with-default':
    'it rewrites the table: add the column without a default, `set default` after it, and fill the rows in batches',
  'adding-foreign-key-constraint': 'add it `not valid`, and `validate constraint` in the next migration',
  'adding-not-nullable-field':
    'add `check (COLUMN is not null) not valid`, `validate constraint` in the next migration, then `set not null` with an exception line',
  'adding-required-field': 'the previous release does not write it: let it be null, or give it a constant default',
  'adding-serial-primary-key-field': 'create the index concurrently, then `add primary key using index`',
  'ban-concurrent-index-creation-in-transaction': 'write the migration as NNN_name.js, which calls `pgm.noTransaction()`',
  'ban-drop-column': 'the previous release uses it: stop using it in this release, and drop it in the next one',
  'ban-drop-not-null': 'the previous release relies on it: let this release read null, and drop it in the next one',
  'ban-drop-table': 'the previous release uses it: stop using it in this release, and drop it in the next one',
  'changing-column-type': 'add a column of the new type, write both, and drop the old one in the next release',
  'constraint-missing-not-valid': 'add it `not valid`, and `validate constraint` in the next migration',
  'disallowed-unique-constraint': 'create a unique index concurrently, then `add constraint … unique using index`',
  'renaming-column': 'add a column, write both, and drop the old one in the next release',
  'renaming-table': 'the previous release uses the name: keep it',
  'require-concurrent-index-creation': 'write `create index concurrently if not exists` in NNN_name.js, which calls `pgm.noTransaction()`',
  'require-concurrent-index-deletion': 'write `drop index concurrently if exists` in NNN_name.js, which calls `pgm.noTransaction()`',
  'syntax-error': 'correct the statement',
};

/** A line of the file: `-- Exception RULE: REASON`. */
const EXCEPTION = /^\s*(?:--|\/\/) Exception ([\w-]+): (\S.*)$/gm;
const SQUAWK = createRequire(import.meta.url).resolve('squawk-cli/js/bin/squawk');

export type Migration = { text: string; sql: string; inTransaction: boolean };
type Violation = { rule_name: string; line: number };

/** @param released the names of the files that need no check @returns the other files */
export function unreleasedMigrations(released: string[]): string[] {
  return readdirSync(MIGRATIONS)
    .toSorted()
    .filter((name) => !released.includes(name));
}

export async function readMigration(name: string): Promise<Migration> {
  const path = join(MIGRATIONS, name);
  const text = readFileSync(path, 'utf8');
  if (name.endsWith('.sql')) return { text, sql: upPart(text), inTransaction: true };
  return readProgram(text, (await import(path)) as MigrationProgram);
}

export function migrationOf(text: string): Migration {
  return { text, sql: upPart(text), inTransaction: true };
}

export type MigrationProgram = { up(pgm: { sql(text: string): void; noTransaction(): void }): unknown };

export async function readProgram(text: string, { up }: MigrationProgram): Promise<Migration> {
  const statements: string[] = [];
  let inTransaction = true;
  await up({ sql: (statement) => void statements.push(`${statement};`), noTransaction: () => void (inTransaction = false) });
  return { text, sql: statements.join('\n'), inTransaction };
}

/** @returns the rules that the file breaks on purpose, with the reasons */
export function exceptionsOf({ text }: Migration): Record<string, string> {
  return Object.fromEntries([...text.matchAll(EXCEPTION)].map(([, rule = '', reason = '']) => [rule, reason]));
}

/** @returns what is wrong with a migration, with the line, the rule, and what to write instead */
export function problemsOf(migration: Migration): string[] {
  const excepted = exceptionsOf(migration);
  const ignored = migration.text.includes('squawk-ignore') ? ['write `-- Exception RULE: REASON` instead of squawk-ignore'] : [];
  const violations = lint(migration).filter(({ rule_name: rule }) => rule in RULES && !(rule in excepted));
  return [...ignored, ...violations.map(({ line, rule_name: rule }) => `line ${line + 1}: ${rule}: ${RULES[rule]}`)];
}

function lint({ sql, inTransaction }: Migration): Violation[] {
  const args = [SQUAWK, '--reporter', 'json', '--pg-version', '18.0'];
  const input = inTransaction ? `begin; ${sql}\ncommit;` : sql;
  try {
    return JSON.parse(execFileSync(process.execPath, args, { input, encoding: 'utf8', stdio: 'pipe' })) as Violation[];
  } catch (error) {
    // It exits with 1 if it has found anything.
    return JSON.parse((error as { stdout: string }).stdout) as Violation[];
  }
}

function upPart(text: string): string {
  return text.split(/^-- Down Migration$/m, 1)[0] ?? '';
}
