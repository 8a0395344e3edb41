import { errors } from '@elastic/elasticsearch';
import { connectElasticsearch } from '@ugc/shared/stores/elasticsearch';
import { readEnv, storeEnv } from '@ugc/shared/process/env';
import { createLog, type Log } from '@ugc/shared/process/log';
import { errorMessage } from '@ugc/shared/process/error-message';
import { connectPostgres, DatabaseUnavailable } from '@ugc/shared/stores/postgres';
import { progressBar, type ProgressBar } from '@ugc/shared/process/progress-bar';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { z } from 'zod';
import type { IndexDeps } from '../indices/target-indices.ts';
import type { Progress } from '../indices/fill.ts';
import { RebuildError } from '../indices/rebuild-error.ts';

/** What the index commands have in common: results on standard output, all else on standard error. */
export const EXIT = {
  done: 0,
  /** It ran, and the answer is a bad one. */
  bad: 1,
  usage: 2,
  /** sysexits.h EX_TEMPFAIL: somebody else is at it, or a store does not answer; the same command may be repeated. */
  again: 75,
  stopped: 130,
} as const;

export type CommandDeps = IndexDeps & { env: z.infer<typeof storeEnv> };
export type Given = { positionals: string[]; flags: Record<string, boolean | undefined> };

/** The command was called in a way that makes no sense. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

const STATEMENT_TIMEOUT_MS = 60_000;
const REQUEST_TIMEOUT_MS = 60_000;

/** Runs a command to its end and exits the process. Ctrl-C aborts `deps.signal`. */
export async function runCommand(usage: string, flags: string[], run: (deps: CommandDeps, given: Given) => Promise<number>): Promise<void> {
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort()).once('SIGTERM', () => stopping.abort());
  const code = await Promise.resolve()
    .then(() => withDeps(stopping.signal, parse(flags), run))
    .catch((error: unknown) => explain(error, usage, stopping.signal));
  process.exit(code);
}

function parse(flags: string[]): Given {
  const options: ParseArgsConfig['options'] = Object.fromEntries(flags.map((flag) => [flag, { type: 'boolean' }]));
  try {
    const { positionals, values } = parseArgs({ options, allowPositionals: true });
    return { positionals, flags: values as Given['flags'] };
  } catch (error) {
    throw new WrongUsage(errorMessage(error));
  }
}

async function withDeps(signal: AbortSignal, given: Given, run: (deps: CommandDeps, given: Given) => Promise<number>): Promise<number> {
  const env = readEnv(storeEnv);
  const log = logToPerson();
  const database = connectPostgres({
    url: env.DATABASE_URL,
    applicationName: 'ugc-index-command',
    maxConnections: 3,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onIdleError: () => undefined,
  });
  const elasticsearch = connectElasticsearch(env.ELASTICSEARCH_URL, REQUEST_TIMEOUT_MS);
  try {
    return await run({ env, log, database, elasticsearch, alias: env.CONTENT_ALIAS, signal }, given);
  } finally {
    await database.close();
    await elasticsearch.close();
  }
}

function logToPerson(): Log {
  return createLog('command', 'warn', {
    write: (line) => {
      const { msg, err, reason } = JSON.parse(line) as { msg: string; err?: { message: string }; reason?: string };
      tell([msg, err?.message, reason].filter((part) => part !== undefined).join(': '));
    },
  });
}

/** A line for the person at the terminal, above the progress bar if there is one. */
export function tell(line: string): void {
  process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[K' : ''}${line}\n`);
}

function explain(error: unknown, usage: string, signal: AbortSignal): number {
  if (signal.aborted) return end('Stopped. The same command goes on where it was.', EXIT.stopped);
  if (error instanceof WrongUsage) return end(`${error.message}\n${usage}`, EXIT.usage);
  if (isAway(error)) return end(`${errorMessage(error)}. Is the stack started?`, EXIT.again);
  if (error instanceof RebuildError) return end(error.message, EXIT.bad);
  return end(error instanceof Error ? (error.stack ?? error.message) : String(error), EXIT.bad);
}

function end(line: string, code: number): number {
  tell(line);
  return code;
}

function isAway(error: unknown): boolean {
  // A restart of Elasticsearch loses the point in time that an audit walks through.
  if (error instanceof errors.ResponseError)
    return (error.statusCode ?? 0) >= 500 || error.statusCode === 429 || error.message.includes('search_context_missing_exception');
  return error instanceof DatabaseUnavailable || error instanceof errors.ElasticsearchClientError;
}

export function somebodyElse(): number {
  return end('Another process is at it already (an indexer may be healing the index); try again when it is done.', EXIT.again);
}

/** One bar for each phase. */
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

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function printColumns(rows: string[][]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}
