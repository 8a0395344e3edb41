import type { Middleware } from 'koa';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Connection = {
  pendingResponses: ServerResponse<IncomingMessage>[];
  idleSinceMs: number;
  /** Bytes read from the socket when the idle period began. If more have been read since, a request is arriving. */
  idleAtBytes: number;
  /** Bytes that arrived since then without a request, when they were last counted. */
  stray: { bytes: number; sinceMs: number };
  /** When bytes of a request were first seen that is still incomplete. */
  arrivingSinceMs: number | undefined;
};

/** Above this share of the limit, idle connections are closed so that new clients can connect. */
const CROWDED_SHARE = 0.8;
/** Without a request, or with the same incomplete one. */
const IDLE_AT_LEAST_MS = 5_000;
const NO_STRAY = { bytes: 0, sinceMs: Infinity };
/** Longer than Node waits for a header that has begun. */
const STRAY_AT_MOST_MS = 20_000;

export class Connections {
  readonly limit: number;
  /** The connection that has been without a request for longest comes first. */
  readonly #open = new Map<Socket, Connection>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get count(): number {
    return this.#open.size;
  }

  isCrowded(): boolean {
    return this.count > this.limit * CROWDED_SHARE;
  }

  /**
   * Adds a connection. Beyond the limit, the one that has been without a complete request for longest is closed instead,
   * so that clients that send none do not keep out those that do.
   * @returns whether a connection was closed: the new one if all others have a request
   */
  add(socket: Socket): boolean {
    const closed = this.count >= this.limit ? (this.#longestWithoutRequest() ?? socket) : undefined;
    closed?.destroy();
    if (closed) this.#open.delete(closed);
    if (closed === socket) return true;
    this.#open.set(socket, {
      pendingResponses: [],
      idleSinceMs: performance.now(),
      idleAtBytes: socket.bytesRead,
      stray: NO_STRAY,
      arrivingSinceMs: undefined,
    });
    socket.once('close', () => this.#open.delete(socket));
    return closed !== undefined;
  }

  /** Marks the connection of a request as busy until the response is closed. */
  addRequest({ socket }: IncomingMessage, response: ServerResponse<IncomingMessage>): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.pendingResponses.push(response);
    response.once('close', () => {
      connection.pendingResponses = connection.pendingResponses.filter((pending) => pending !== response);
      connection.idleSinceMs = performance.now();
      connection.idleAtBytes = socket.bytesRead;
      connection.stray = NO_STRAY;
      connection.arrivingSinceMs = undefined;
      if (this.#open.delete(socket) && !socket.destroyed) this.#open.set(socket, connection);
    });
  }

  /** @returns the responses that are not sent yet, in the order of their requests */
  pendingResponses(socket: Socket): ServerResponse<IncomingMessage>[] {
    return this.#open.get(socket)?.pendingResponses ?? [];
  }

  /** Whether no byte of a request has arrived since the connection was opened, or since the response before. */
  isSilent(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    return connection !== undefined && isSilent(socket, connection);
  }

  /** Closes connections that were never used. Node does not count them as idle. */
  closeUnused(): void {
    for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Closes connections on which bytes keep arriving with which no request begins: the parser skips empty lines. */
  closeStalled(): void {
    for (const [socket, connection] of this.#open) if (isStalled(socket, connection)) socket.destroy();
  }

  #longestWithoutRequest(): Socket | undefined {
    for (const [socket, { pendingResponses }] of this.#open) if (pendingResponses.length === 0) return socket;
    return undefined;
  }

  /** Closes idle connections, the longest idle first, until the number of connections is below the threshold. */
  closeIdle(): void {
    if (!this.isCrowded()) return;
    for (const [socket, connection] of this.#open) {
      if (!this.isCrowded()) return;
      if (!isIdle(socket, connection)) continue;
      this.#open.delete(socket);
      socket.destroy();
    }
  }
}

/** Also notes when a request begins to arrive: one that arrives too slowly does not keep its connection busy. */
function isIdle(socket: Socket, connection: Connection): boolean {
  if (connection.pendingResponses.length > 0) return false;
  if (!isSilent(socket, connection)) connection.arrivingSinceMs ??= performance.now();
  return performance.now() - (connection.arrivingSinceMs ?? connection.idleSinceMs) > IDLE_AT_LEAST_MS;
}

function isSilent(socket: Socket, { pendingResponses, idleAtBytes }: Connection): boolean {
  return pendingResponses.length === 0 && socket.bytesRead === idleAtBytes;
}

// A single empty line after a body is harmless; some clients send it.
function isStalled(socket: Socket, connection: Connection): boolean {
  const bytes = socket.bytesRead - connection.idleAtBytes;
  if (connection.pendingResponses.length > 0 || bytes === connection.stray.bytes) return false;
  const sinceMs = Math.min(connection.stray.sinceMs, performance.now());
  connection.stray = { bytes, sinceMs };
  return performance.now() - sinceMs > STRAY_AT_MOST_MS;
}

/** Asks clients to close their connections while there are too many. */
export function closeWhenCrowded(connections: Connections): Middleware {
  return async (ctx, next) => {
    await next();
    // A client that is still sending its body would get a connection reset instead of the response.
    if (connections.isCrowded() && ctx.req.complete) ctx.set('Connection', 'close');
  };
}
