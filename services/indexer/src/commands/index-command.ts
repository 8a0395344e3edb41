import { createCommand, EXIT, getStopSignal, JSON_OPTION, runCommand, type CommandHelp, type Failure } from '@ugc/shared/cli/command';
import { printMessage, progressBar, type ProgressBar } from '@ugc/shared/cli/output';
import { LockLost } from '@ugc/shared/postgres/locks';
import { connectElasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { readEnv, storeEnv } from '@ugc/shared/config/env';
import { createLog, type Log } from '@ugc/shared/process/log';
import { Ownership } from '@ugc/shared/ownership/ownership';
import { connectPostgres } from '@ugc/shared/postgres/postgres';
import { storeTimeout } from '@ugc/shared/timing/timeouts';
import { describePostgresFailure, StoreFailure } from '@ugc/shared/failures/describe';
import { describeElasticsearchFailure } from '@ugc/shared/failures/describe-elasticsearch';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { RebuildError, type Progress, type IndexDeps } from '../targets/target-indices.ts';

export type CommandDeps = IndexDeps & { env: z.infer<typeof storeEnv> };
export type JsonOption = { json?: boolean };

const COMMON_EXIT_CODES = {
  [EXIT.done]: 'done',
  [EXIT.usage]: 'the arguments are wrong',
  [EXIT.tryAgain]: 'a store does not respond, or another process holds the lock; try again',
  78: 'the configuration is wrong',
  [EXIT.stopped]: 'stopped; the same command continues',
};

const STATEMENT_TIMEOUT_MS = 60_000;
const REQUEST_TIMEOUT_MS = 60_000;
const WAIT_FOR_LOCK_MS = storeTimeout(15_000);
const SAY_WAITING_AFTER_MS = 2_000;
const TRY_LOCK_EVERY_MS = 100;

type Command = ReturnType<typeof createCommand>;
type Run<Options> = (deps: CommandDeps, options: Options) => Promise<number>;

export function createIndexCommand({ exitCodes, ...help }: CommandHelp): Command {
  return createCommand({ ...help, exitCodes: { ...COMMON_EXIT_CODES, ...exitCodes } });
}

/** Adds the option --json. The number that `run` returns is the exit code. */
export function onRun<Options extends JsonOption>(command: Command, run: Run<Options>): Command {
  return command.option(...JSON_OPTION).action(withStores(run));
}

export function runIndexCommand(command: Command): Promise<never> {
  return runCommand(command, failureOf);
}

/** Makes an action of a function that needs the stores. The number that it returns is the exit code. */
export function withStores<A extends unknown[]>(run: (deps: CommandDeps, ...args: A) => Promise<number>): (...args: A) => Promise<void> {
  return async (...args) => {
    const env = readEnv(storeEnv);
    const database = connectPostgres({
      url: env.DATABASE_URL,
      applicationName: 'ugc-index-command',
      maxConnections: 3,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      onIdleError: () => undefined,
    });
    const elasticsearch = connectElasticsearch(env.ELASTICSEARCH_URL, REQUEST_TIMEOUT_MS, env);
    const ownership = new Ownership({ database, elasticsearch, alias: env.CONTENT_ALIAS });
    const stores = { database, elasticsearch, ownership, alias: env.CONTENT_ALIAS };
    const deps = { ...stores, env, settings: env, log: logToTerminal(), signal: getStopSignal() };
    try {
      process.exitCode = await run(deps, ...args);
    } catch (error) {
      throw describeStoreFailure(error, env);
    } finally {
      await database.close();
      await elasticsearch.close();
    }
  };
}

/**
 * Repeats what needs the index lock for some seconds: while something is wrong, the indexer takes the lock every two
 * seconds. @returns false if another process still holds it. @throws after a stop: nothing is begun any more
 */
export async function whenUnlocked({ signal }: Pick<CommandDeps, 'signal'>, run: () => Promise<boolean>): Promise<boolean> {
  const startedMs = performance.now();
  let isSaid = false;
  while (!(await run())) {
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > WAIT_FOR_LOCK_MS) return false;
    if (waitedMs > SAY_WAITING_AFTER_MS && !isSaid) printMessage('Waiting for another process, which holds the index lock.');
    isSaid = waitedMs > SAY_WAITING_AFTER_MS;
    await delay(TRY_LOCK_EVERY_MS, undefined, { signal });
  }
  return true;
}

export function reportLocked(): number {
  printMessage('Another process is changing or checking the index (an indexer may be recreating it); try again when it is done.');
  return EXIT.tryAgain;
}

export function phaseBars(): { progress: Progress; end(): void } {
  let bar: ProgressBar | undefined;
  let current = '';
  const progress: Progress = (phase, done, total) => {
    if (phase !== current) {
      bar?.end();
      bar = progressBar(phase);
      current = phase;
    }
    bar?.update(done, total);
  };
  return { progress, end: () => bar?.end() };
}

function logToTerminal(): Log {
  return createLog('command', 'warn', {
    write: (line) => {
      const { msg, err, reason } = JSON.parse(line) as { msg: string; err?: { message: string }; reason?: string };
      printMessage([msg, err?.message, reason].filter((part) => part !== undefined).join(': '));
    },
  });
}

function failureOf(error: unknown): Failure {
  if (error instanceof StoreFailure) return { message: error.message, exitCode: error.mayPass ? EXIT.tryAgain : EXIT.badResult };
  if (error instanceof LockLost) return { message: error.message, exitCode: EXIT.tryAgain };
  if (error instanceof RebuildError) return { message: error.message, exitCode: EXIT.badResult };
  return { message: linesOf(error), exitCode: EXIT.badResult };
}

/** The message may contain what others have written; the stack does not, but for the message. */
function linesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const frames = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
  return [`${error.name}: ${error.message}`, ...frames];
}

/** @returns the error itself if no store has caused it */
export function describeStoreFailure(error: unknown, env: z.infer<typeof storeEnv>): unknown {
  return describePostgresFailure(error, env.DATABASE_URL) ?? describeElasticsearchFailure(error, env.ELASTICSEARCH_URL, env) ?? error;
}
