import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

type BodyRules = { limitBytes: number; onBytes: (chunkBytes: number) => void };

/** After this grace period the average rate must reach the minimum; a slower client would hold memory for too long. */
const GRACE_MS = 5_000;
const MIN_BYTES_PER_SECOND = 16 * 1_024;
const CHECK_EVERY_MS = 1_000;

/**
 * Reads a request body. After a failure, `discardUnreadBody` reads the remaining bytes.
 * @throws BodyIncomplete · Problem 408 below the minimum rate · 413 above `limitBytes` · errors of `onBytes`
 */
export function readBody(request: IncomingMessage, { limitBytes, onBytes }: BodyRules): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const startedAt = performance.now();
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  const onData = (chunk: Buffer): void => {
    receivedBytes += chunk.length;
    try {
      if (receivedBytes > limitBytes) throw bodyTooLarge(limitBytes);
      onBytes(chunk.length);
      chunks.push(chunk);
    } catch (error) {
      reject(error);
    }
  };
  const onEnd = (): void => resolve(Buffer.concat(chunks));
  const onClose = (): void => {
    if (!request.complete) reject(new BodyIncomplete('the body ended before it was complete'));
  };
  const checks = setInterval(() => {
    if (isTooSlow(receivedBytes, performance.now() - startedAt)) reject(tooSlow());
  }, CHECK_EVERY_MS);
  request.on('data', onData).once('end', onEnd).once('error', onClose).once('close', onClose);
  return promise.finally(() => {
    clearInterval(checks);
    request.off('data', onData).off('end', onEnd).off('close', onClose);
  });
}

/** The client ended the body early, or the connection was lost. */
export class BodyIncomplete extends Error {
  override readonly name = 'BodyIncomplete';
}

/** How long a body of `limitBytes` takes at the minimum rate. */
export function longestBodyMs(limitBytes: number): number {
  return GRACE_MS + Math.ceil((limitBytes / MIN_BYTES_PER_SECOND) * 1_000);
}

export function bodyTooLarge(limitBytes: number): Problem {
  return new Problem(413, `The body is larger than the limit of ${limitBytes} bytes.`);
}

function isTooSlow(receivedBytes: number, elapsedMs: number): boolean {
  return elapsedMs > GRACE_MS && receivedBytes < (elapsedMs / 1_000) * MIN_BYTES_PER_SECOND;
}

function tooSlow(): Problem {
  const detail = `The body arrived too slowly. The minimum average rate is ${MIN_BYTES_PER_SECOND} bytes per second.`;
  return new Problem(408, detail, { headers: { Connection: 'close' } });
}
