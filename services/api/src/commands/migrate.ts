import { createCommand, EXIT, failWith, JSON_OPTION, runCommand } from '@ugc/shared/cli/command';
import { printJson, printLine, printMessage } from '@ugc/shared/cli/output';
import { readEnv, storeEnv } from '@ugc/shared/config/env';
import { errorMessage } from '@ugc/shared/process/error-message';
import { postgresAddress } from '@ugc/shared/config/postgres-address';
import { migrate } from '@ugc/shared/postgres/migrate';
import { DatabaseUnavailable, toDatabaseError } from '@ugc/shared/postgres/errors';
import { describePostgresFailure, StoreFailure } from '@ugc/shared/failures/describe';
import { throttle } from '@ugc/shared/timing/intervals';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const TRY_EVERY_MS = 2_000;
const SAY_WAITING_EVERY_MS = 30_000;

const command = createCommand({
  name: 'node services/api/src/commands/migrate.ts',
  description: 'Applies the migrations that the PostgreSQL schema at DATABASE_URL lacks.',
  exitCodes: { 0: 'the schema is up to date', 1: 'failed', 2: 'the arguments are wrong', 78: 'a variable is wrong' },
  example: 'DATABASE_URL=postgresql://ugc@127.0.0.1:5432/ugc node services/api/src/commands/migrate.ts',
})
  .option('--wait', 'wait until PostgreSQL responds, as at the start of a machine')
  .option(...JSON_OPTION)
  .action(run);
await runCommand(command, failWith(EXIT.badResult));

/** And not the migrations themselves. */
function concernsServer(error: unknown): boolean {
  return error instanceof DatabaseUnavailable || error instanceof pg.DatabaseError || (error instanceof Error && 'syscall' in error);
}

async function run({ json, wait = false }: { json?: boolean; wait?: boolean }): Promise<void> {
  const { DATABASE_URL } = readEnv(storeEnv.pick({ DATABASE_URL: true }));
  const say = throttle(SAY_WAITING_EVERY_MS, (reason: string) => printMessage(`Waiting: ${reason}`));
  const applied = await apply(DATABASE_URL, wait ? say : undefined).catch((reason: unknown) => {
    throw new Error(`The schema of PostgreSQL at ${postgresAddress(DATABASE_URL).address} could not be migrated: ${errorMessage(reason)}`);
  });
  if (json) printJson({ applied });
  else printLine(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
}

/** @param waiting is told why, while PostgreSQL does not respond; without it, that is an error @throws StoreFailure · Error */
async function apply(url: string, waiting?: (reason: string) => void): Promise<string[]> {
  for (;;) {
    try {
      return await migrate(url, { report: printMessage });
    } catch (error) {
      const reason = (concernsServer(error) && describePostgresFailure(toDatabaseError(error), url)) || error;
      if (!waiting || !(reason instanceof StoreFailure) || !reason.mayPass) throw reason;
      waiting(reason.message);
      await delay(TRY_EVERY_MS);
    }
  }
}
