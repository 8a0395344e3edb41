import { errors, type BaseConnectionPool, type Connection, type UndiciConnection } from '@elastic/elasticsearch';
import { randomUUID } from 'node:crypto';
import { storeTimeout, unlessAborted } from '../timing/timeouts.ts';

/**
 * The option `context` of a short request that changes nothing: it is sent once more, on a new connection, if no response
 * has begun for a second, and if `isAllowed` says so then.
 */
export type Repeatable = { isAllowed: () => boolean };

export const ALWAYS: Repeatable = { isAllowed: () => true };

/** A firewall or a node that has gone may have forgotten the connection, without a word. */
const SILENT_MS = 1_000;

type Send<T> = (by: Connection, signal: AbortSignal) => Promise<T>;

/** The second attempts of all requests follow one another: a slow server does not get twice the requests. */
export class SecondAttempts<T> {
  readonly #connectionPool: BaseConnectionPool;
  #latest: Promise<unknown> = Promise.resolve();

  constructor(connectionPool: BaseConnectionPool) {
    this.#connectionPool = connectionPool;
  }

  /** @returns the response that begins first; the other request ends @throws the error of the first attempt */
  async run({ isAllowed }: Repeatable, connection: UndiciConnection, send: Send<T>, signal?: AbortSignal): Promise<T> {
    const first = begin((ending) => send(connection, ending), signal);
    if (!(await isSilent(first.response)) || !isAllowed()) return first.response;
    const second = begin((ending) => this.#inTurn(() => this.#sendByNew(connection, send, ending), ending), signal);
    // The time of the request has passed: the caller must learn that the server did not respond.
    const endSecond = (error: unknown): void => void (error instanceof errors.TimeoutError && second.end.abort(error));
    first.response.catch(endSecond);
    const answered = ({ response, end }: Begun<T>) => response.then((received) => ({ received, end }));
    try {
      const { received, end } = await Promise.any([first, second].map(answered));
      for (const other of [first.end, second.end]) if (other !== end) other.abort();
      return received;
    } catch {
      return await first.response;
    }
  }

  async #sendByNew(connection: UndiciConnection, send: Send<T>, signal: AbortSignal): Promise<T> {
    const renewed = this.#renew(connection);
    try {
      const response = await send(renewed, signal);
      // The others may be forgotten too. What they have begun goes on until they are closed.
      [connection.pool, renewed.pool] = [renewed.pool, connection.pool];
      return response;
    } finally {
      void renewed.close();
    }
  }

  /** @returns new connections to the same node */
  #renew({ url, tls, timeout, headers }: Connection): UndiciConnection {
    const options = { url, id: `${url.href} ${randomUUID()}`, headers, ...(tls && { tls }), ...(timeout !== null && { timeout }) };
    return this.#connectionPool.createConnection(options) as UndiciConnection;
  }

  #inTurn(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const before = this.#latest;
    const response = unlessAborted(signal, before).then(attempt);
    this.#latest = Promise.allSettled([before, response]);
    return response;
  }
}

type Begun<T> = { response: Promise<T>; end: AbortController };

function begin<T>(attempt: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Begun<T> {
  const end = new AbortController();
  const abort = (): void => end.abort(signal?.reason);
  if (signal?.aborted) abort();
  // The body of the response ends with it as well.
  else signal?.addEventListener('abort', abort, { once: true });
  return { response: attempt(end.signal), end };
}

async function isSilent(response: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), storeTimeout(SILENT_MS));
  const answered = (): void => resolve(false);
  response.then(answered, answered);
  return promise.finally(() => clearTimeout(timer));
}
