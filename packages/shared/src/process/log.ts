import { errorMessage } from './error-message.ts';
import { escapeJson } from './terminal.ts';
import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** Errors are logged without fields that may contain request bodies, parameters or headers. */
export function createLog(service: string, level: string, destination: DestinationStream = standardOutput()): Log {
  const options = {
    level,
    base: { service },
    serializers: { err: describeError },
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { streamWrite: escapeJson },
  };
  return pino(options, destination);
}

// A write per line took a fifth of the processor time of a read. A process that is killed loses its last lines.
const BUFFERING = { sync: false, minLength: 8 * 1024, maxLength: 4 * 1024 * 1024 };
const FLUSH_EVERY_MS = 100;
/** Lines that came during a write are flushed after it. */
const FLUSHES_AFTER_A_LINE = 2;

// On a full disk the log must neither crash the process nor prevent its exit by retrying the final flush forever.
function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: process.stdout.fd, ...BUFFERING });
  const flushSoon = flushWhileNeeded(() => stream.flush());
  let failing = false;
  stream.on('error', () => {
    failing = true;
    flushSoon();
  });
  stream.on('write', (bytes: number) => {
    failing = false;
    if (bytes > 0) flushSoon();
  });
  stream.once('error', () => {
    process.prependListener('exit', () => {
      if (failing) stream.destroy();
    });
  });
  return {
    write: (line) => {
      stream.write(line);
      flushSoon();
    },
  };
}

/** The option `periodicFlush` of the stream would write nothing, ten times per second, for as long as the process runs. */
function flushWhileNeeded(flush: () => void): () => void {
  let remaining = 0;
  let timer: NodeJS.Timeout | undefined;
  const tick = (): void => {
    remaining -= 1;
    if (remaining >= 0) return flush();
    clearInterval(timer);
    timer = undefined;
  };
  return () => {
    remaining = FLUSHES_AFTER_A_LINE;
    timer ??= setInterval(tick, FLUSH_EVERY_MS).unref();
  };
}

/** `count`: how many equal failures there were since the last line, if there were more than this one. */
type Failure = { err: unknown; count?: number };
const REPEATED_EVERY_MS = 60_000;
/** Messages may contain what varies. */
const MESSAGES_MAX = 20;

/** @returns a function that logs a failure at once, and equal ones once a minute with their count */
export function logRepeated(write: (failure: Failure) => void): (err: unknown) => void {
  const seen = new Map<string, { loggedAtMs: number; count: number }>();
  return (err) => {
    const message = errorMessage(err);
    const { loggedAtMs, count } = seen.get(message) ?? { loggedAtMs: -Infinity, count: 0 };
    const isDue = performance.now() - loggedAtMs >= REPEATED_EVERY_MS;
    if (isDue) write({ err, ...(count > 0 && { count: count + 1 }) });
    if (!seen.has(message) && seen.size >= MESSAGES_MAX) seen.clear();
    seen.set(message, isDue ? { loggedAtMs: performance.now(), count: 0 } : { loggedAtMs, count: count + 1 });
  };
}

type LoggedError = { type: string; message: string; code?: unknown; statusCode?: unknown; stack?: string; cause?: LoggedError };

/** Elasticsearch describes an error as an object with a type and a reason. */
function describeOther(error: unknown): LoggedError {
  if (typeof error !== 'object' || error === null) return { type: typeof error, message: String(error) };
  const { type, reason, message } = error as { type?: unknown; reason?: unknown; message?: unknown };
  return { type: typeof type === 'string' ? type : 'object', message: String(reason ?? message ?? Object.keys(error)) };
}

function describeError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return describeOther(error);
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...(statusCode !== undefined && { statusCode }),
    ...(error.stack && { stack: error.stack }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
