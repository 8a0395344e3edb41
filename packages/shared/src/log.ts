import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** JSON lines. Errors are reduced to what tells an operator something: no request bodies, parameters or headers. */
export function createLog(service: string, level: string, destination?: DestinationStream): Log {
  const options = { level, base: { service }, serializers: { err: describeError }, timestamp: pino.stdTimeFunctions.isoTime };
  return destination ? pino(options, destination) : pino(options);
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
