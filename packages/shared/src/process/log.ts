import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** Errors are logged without fields that may contain request bodies, parameters or headers. */
export function createLog(service: string, level: string, destination: DestinationStream = standardOutput()): Log {
  const options = { level, base: { service }, serializers: { err: describeError }, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, destination);
}

// A write per line took a fifth of the processor time of a read. A process that is killed loses its last lines.
const BUFFERING = { sync: false, minLength: 8 * 1024, periodicFlush: 100, maxLength: 4 * 1024 * 1024 };

// On a full disk the log must neither crash the process nor prevent its exit by retrying the final flush forever.
function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: process.stdout.fd, ...BUFFERING });
  let failing = false;
  stream.on('error', () => (failing = true));
  stream.on('write', () => (failing = false));
  stream.once('error', () => {
    process.prependListener('exit', () => {
      if (failing) stream.destroy();
    });
  });
  return { write: (line) => void stream.write(line) };
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
