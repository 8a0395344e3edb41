import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

export type BodyRules = {
  limitBytes: number;
  /** Called with the size of each part that arrives; what it throws ends the reading. */
  onBytes: (bytes: number) => void;
};

/** A sender may be slow to begin. From then on its average must reach the minimum, else it holds memory for too long. */
const GRACE_MS = 5_000;
export const MIN_BYTES_PER_SECOND = 16 * 1_024;
const CHECK_EVERY_MS = 1_000;

/**
 * Reads a request's body. What arrives after a failure is not kept; `discardUnreadBody` takes care of it.
 * @throws BodyIncomplete · Problem 408 when it arrives too slowly · 413 above `limitBytes` · what `onBytes` throws
 */
export function readBody(request: IncomingMessage, { limitBytes, onBytes }: BodyRules): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const startedAt = performance.now();
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  const onData = (chunk: Buffer): void => {
    receivedBytes += chunk.length;
    const problem = receivedBytes > limitBytes ? tooLarge(limitBytes) : problemOf(() => onBytes(chunk.length));
    if (problem) return reject(problem);
    chunks.push(chunk);
  };
  const onEnd = (): void => resolve(Buffer.concat(chunks));
  const onClose = (): void => reject(new BodyIncomplete('the body ended before it was complete'));
  const checks = setInterval(() => {
    if (isTooSlow(receivedBytes, performance.now() - startedAt)) reject(tooSlow());
  }, CHECK_EVERY_MS);
  request.on('data', onData).once('end', onEnd).once('error', onClose).once('close', onClose);
  return promise.finally(() => {
    clearInterval(checks);
    request.off('data', onData).off('end', onEnd).off('close', onClose);
  });
}

/** The sender has ended the body early, or its connection broke. */
export class BodyIncomplete extends Error {
  override readonly name = 'BodyIncomplete';
}

/** How long the largest body may take at the slowest rate. */
export function slowestBodyMs(limitBytes: number): number {
  return GRACE_MS + Math.ceil((limitBytes / MIN_BYTES_PER_SECOND) * 1_000);
}

export function tooLarge(limitBytes: number): Problem {
  return new Problem(413, `The body is larger than ${limitBytes} bytes.`);
}

function isTooSlow(receivedBytes: number, elapsedMs: number): boolean {
  return elapsedMs > GRACE_MS && receivedBytes < (elapsedMs / 1_000) * MIN_BYTES_PER_SECOND;
}

function tooSlow(): Problem {
  const detail = `The body arrived too slowly: less than ${MIN_BYTES_PER_SECOND} bytes per second on average.`;
  return new Problem(408, detail, { headers: { Connection: 'close' } });
}

function problemOf(work: () => void): Error | undefined {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  return undefined;
}
