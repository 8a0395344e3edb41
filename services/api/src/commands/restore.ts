import { IS_DUE } from '@ugc/items/people/due-items';
import { createCommand, EXIT, getStopSignal, JSON_OPTION, parseWith, runCommand } from '@ugc/shared/cli/command';
import { printJson, printLine, printMessage } from '@ugc/shared/cli/output';
import { describeDatabase, readIdentity } from '@ugc/shared/contracts/database-identity';
import { errorMessage } from '@ugc/shared/process/error-message';
import type { Database } from '@ugc/shared/postgres/postgres';
import { pausedSince } from '@ugc/shared/indices/index-control';
import { REFUSE_EARLIER, refusalOf } from '@ugc/shared/postgres/before-release-1';
import { appliedMigrations, missingMigrations } from '@ugc/shared/postgres/schema';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import {
  BackupError,
  connectionOption,
  progressOption,
  startProgram,
  presentTables,
  requireTables,
  SERVICE_TABLES,
  serverVersion,
} from './postgres-programs.ts';
import { DATABASE_EXIT_CODES, failureOf, withDatabase } from './with-database.ts';

type Role = z.output<typeof RoleName>;
type Options = { as: Role; overwrite?: boolean; privileges: boolean; json?: boolean };
type RestoreOptions = Omit<Options, 'json'> & { url: string };

const RoleName = z.enum(['replacement', 'copy'], 'must be replacement or copy');
/** Statistics of a large table take minutes. */
const STATEMENT_TIMEOUT_MS = 3_600_000;

const ERASE_AGAIN = 'Erase again whom the receipts since the backup name, before their ids are given to others: npx pnpm users erase ID…';
const NO_IMPORT =
  'An export that was made after the backup does not bring items back: npx pnpm run import skips an item of this database that is not there, ' +
  'and rejects one whose id another item has.';
const MIGRATE = 'node services/api/src/commands/migrate.ts';
const OWN_NAMES = 'Set CONTENT_ALIAS and QUEUE_PREFIX to names that no other environment on the same Elasticsearch and Redis has.';

const BLOCK_AGAIN =
  'Block again whom you have blocked since the backup: no store knows it. npx pnpm users list shows who is blocked, and ' +
  'npx pnpm users block ID --reason REASON blocks.';

const PSQL = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--set=ON_ERROR_STOP=1'];
/** Other objects of the database stay. One that depends on a table of the service is an error. */
const REMOVE_TABLES = `set local lock_timeout = '30s';
drop table if exists ${SERVICE_TABLES.join(', ')};
drop function if exists database_identity(), empty_fields(), keep_unpublished(), begin_popularity_again();
`;
const REQUIRE_BACKUP = `do $$ begin
  perform from content, users, index_outbox limit 1;
  if not exists (select from schema_migration) then raise 'the file contains no data of this service'; end if;
end $$`;
/** Above every generation that the lost history may have had: an acknowledgement of a job of that history does not count. */
const NEW_GENERATION = `greatest(generation + 1, extract(epoch from clock_timestamp())::bigint)`;
/** Makes the database a copy with an identity of its own, which lists no index: its indexers fill one. */
const OWN_IDENTITY = `with former as (delete from index_target)
  update index_control set generation = ${NEW_GENERATION}, database_id = gen_random_uuid(), beat = null, previous_beat = null,
    beat_at = null, foreign_beats = 0, foreign_job_database = null, foreign_job_at = null`;
/**
 * Since the backup, a creator may have deleted such an item, or taken its time away: it would be public in the first second of
 * the API. A backup of release 1.0.0 has no such items. The job ugc-restore does the same.
 */
const UNSCHEDULE = `do $$ declare items integer := 0; begin
  if to_regclass('unpublished_content') is not null then
    update unpublished_content p set publish_at = null, may_publish = false where ${IS_DUE};
    get diagnostics items = row_count;
  end if;
  perform set_config('ugc.unscheduled', items::text, true);
end $$`;
const COUNT_UNSCHEDULED = `select current_setting('ugc.unscheduled')::integer as unscheduled`;
const SETTLE: Record<Role, string[]> = {
  copy: [OWN_IDENTITY, UNSCHEDULE, COUNT_UNSCHEDULED],
  replacement: [`update index_control set generation = ${NEW_GENERATION}`, UNSCHEDULE, COUNT_UNSCHEDULED],
};

const command = createCommand({
  name: 'npx pnpm restore',
  description:
    'Restores a file of npx pnpm backup into the database at DATABASE_URL, all or nothing, and says what remains to be done. A ' +
    'replacement takes the place of the database that was backed up, and its indices; a copy stands beside it, with an identity ' +
    'and an index of its own. Without FILE, only this is settled, for a database that something else has restored. Needs ' +
    'pg_restore and psql on PATH, of the version of the server or newer.',
  exitCodes: {
    [EXIT.done]: 'restored',
    [EXIT.badResult]: 'failed; the message says what the database holds',
    ...DATABASE_EXIT_CODES,
    [EXIT.stopped]: 'stopped; nothing is restored',
  },
  example: 'npx pnpm restore /var/backups/ugc.dump --as replacement',
})
  .argument('[FILE]', 'the file to restore')
  .requiredOption('--as <ROLE>', 'what the database is from now on: replacement or copy', parseWith('--as', RoleName))
  .option('--overwrite', 'replace the tables of the service that the database holds; they stay if the restore fails')
  .option('--no-privileges', 'restore no privileges, for example because the roles do not exist here')
  .option(...JSON_OPTION)
  .action(restore);
await runCommand(command, failureOf);

async function restore(file: string | undefined, { as, json, ...options }: Options): Promise<void> {
  await withDatabase({ applicationName: 'ugc-restore', statementTimeoutMs: STATEMENT_TIMEOUT_MS }, async (database, url) => {
    const unscheduled = file === undefined ? await settle(database, as) : await restoreFile(database, file, { url, as, ...options });
    await report(database, { as, json, unscheduled });
  });
}

/** @returns how many items have lost their times */
async function settle(database: Database, as: Role): Promise<number> {
  await requireTables(database);
  const refusal = refusalOf(await appliedMigrations(database));
  if (refusal !== undefined) throw new BackupError(refusal);
  return database.transaction(async ({ query }) => {
    let rows: { unscheduled: number }[] = [];
    for (const statement of SETTLE[as]) rows = await query<{ unscheduled: number }>(statement);
    return rows[0]?.unscheduled ?? 0;
  });
}

/** @returns how many items have lost their times */
async function restoreFile(database: Database, file: string, options: RestoreOptions): Promise<number> {
  const present = await presentTables(database);
  if (present.length > 0 && !options.overwrite) {
    throw new BackupError(
      `The database at DATABASE_URL holds tables of this service (${present.join(', ')}). Name an empty database, or add --overwrite ` +
        'to replace them with all that they hold.',
    );
  }
  const connection = { url: options.url, server: await serverVersion(database), signal: getStopSignal() };
  printMessage(`Checking ${file}`);
  await startProgram('pg_restore', ['--file=/dev/null', '--', file], connection).ended.catch(
    explain(`${file} cannot be read as a complete backup.`),
  );
  printMessage(`Restoring ${file}`);
  const psql = startProgram('psql', [...PSQL, connectionOption(options.url)], { ...connection, stdin: 'pipe', stdout: 'pipe' });
  const printed = text(psql.child.stdout as Readable);
  // If the input ends without the commit, the session of psql ends, and PostgreSQL rolls the transaction back.
  const sent = pipeline(transaction(file, { ...options, ...connection }), psql.child.stdin as Writable);
  const ends = await Promise.allSettled([psql.ended, sent, printed]);
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) explain('Nothing is restored; the database is as it was.')(failure.reason);
  await database.query('analyze');
  return Number((await printed).trimEnd().split('\n').at(-1));
}

/** Adds the sentence to that of a program, which has printed why it failed. */
function explain(sentence: string): (error: unknown) => never {
  return (error) => {
    throw new BackupError(`${errorMessage(error)} ${sentence}`);
  };
}

/** The user of DATABASE_URL owns what is restored. */
async function* transaction(
  file: string,
  { as, overwrite, privileges, ...options }: RestoreOptions & { server: number; signal: AbortSignal },
) {
  yield 'set client_min_messages = warning;\nbegin;\n';
  if (overwrite) yield REMOVE_TABLES;
  const args = ['--file=-', '--no-owner', ...progressOption(), ...(privileges ? [] : ['--no-privileges'])];
  const { child, ended } = startProgram('pg_restore', [...args, '--', file], { ...options, stdout: 'pipe' });
  yield* child.stdout as AsyncIterable<Buffer>;
  await ended;
  // The file may hold no data, another program, or a schema that the service does not look in.
  yield `reset search_path;\n${REQUIRE_BACKUP};\n${REFUSE_EARLIER};\n`;
  for (const statement of SETTLE[as]) yield `${statement};\n`;
  yield 'commit;\n';
}

type Settled = Pick<Options, 'as' | 'json'> & { unscheduled: number };

async function report(database: Database, { as, json, unscheduled }: Settled): Promise<void> {
  const missing = await missingMigrations(database);
  const name = describeDatabase(await readIdentity(database));
  const steps = nextSteps(as, [...migrationSteps(missing), ...(await resumeSteps(database))]);
  if (json) return printJson({ database: name, as, missingMigrations: missing, unscheduled, nextSteps: steps });
  if (unscheduled > 0)
    printMessage(
      `${unscheduled} ${unscheduled === 1 ? 'item that was' : 'items that were'} to be published by now stay unpublished, without a time: ` +
        'since the backup, their creators may have decided otherwise.',
    );
  printMessage(`${name} is a ${as}. What remains to be done:`);
  for (const [n, step] of steps.entries()) printLine(`${n + 1}. ${step}`);
}

function migrationSteps(missing: string[]): string[] {
  return missing.length === 0 ? [] : [`${MIGRATE}: the backup is older than this release, and lacks ${missing.join(', ')}.`];
}

/** A backup that was made during a pause gives a database in which indexing is paused. */
async function resumeSteps(database: Database): Promise<string[]> {
  const since = await pausedSince(database);
  return since ? [`npx pnpm index:resume: indexing is paused since ${since.toISOString()}, as it was at the backup.`] : [];
}

/** @param first what is due before the processes start */
function nextSteps(as: Role, first: string[]): string[] {
  if (as === 'copy')
    return [
      OWN_NAMES,
      ...first,
      'Start the API and the indexers. They fill a new index; npx pnpm index:status shows the progress.',
      ERASE_AGAIN,
    ];
  return [
    'End all processes that use the former database, if it is another one.',
    ...first,
    'Start the API and the indexers.',
    'npx pnpm index:adopt: this database becomes the owner of the indices of the former one.',
    ERASE_AGAIN,
    BLOCK_AGAIN,
    'Hide again what was hidden since the backup: the log of the API has a line "a moderator has hidden an item" for each item.',
    'npx pnpm index:audit: the items that it calls withheld were deleted, hidden, or made a draft or unlisted since the backup, and are public again. ' +
      'Hide them (npx pnpm items hide ID --reason REASON), or tell their creators. Former keys of unlisted items open them again.',
    'npx pnpm index:audit --repair: what the index has in another state than this database is indexed again.',
    NO_IMPORT,
  ];
}
