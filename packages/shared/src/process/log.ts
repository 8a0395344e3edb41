import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** JSON lines. Errors are reduced to what tells an operator something: no request bodies, parameters or headers. */
export function createLog(service: string, level: string, destination: DestinationStream = standardOutput()): Log {
  const options = { level, base: { service }, serializers: { err: describeError }, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, destination);
}

/** Lines that can't be written wait for the next one; above this many bytes they are dropped. */
const KEPT_BYTES = 4 * 1024 * 1024;

// A log on a full disk must neither end the service nor, by a flush that is repeated for ever, keep it from ending.
function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: process.stdout.fd, sync: false, maxLength: KEPT_BYTES });
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

type Described = { type: string; message: string; code?: unknown; statusCode?: unknown; stack?: string; cause?: Described };

function describeError(error: unknown): Described {
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
