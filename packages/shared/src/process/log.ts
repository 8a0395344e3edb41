import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** Errors are logged without fields that may contain request bodies, parameters or headers. */
export function createLog(service: string, level: string, destination: DestinationStream = standardOutput()): Log {
  const options = { level, base: { service }, serializers: { err: describeError }, timestamp: pino.stdTimeFunctions.isoTime };
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

type LoggedError = { type: string; message: string; code?: unknown; statusCode?: unknown; stack?: string; cause?: LoggedError };

function describeError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
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
