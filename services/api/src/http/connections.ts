import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Connection = { pendingResponses: ServerResponse<IncomingMessage>[]; idleSinceMs: number };

/**
 * The open connections of this process. Node's `maxConnections` closes the new connection at the limit, so that clients
 * that send no request would keep out those that do.
 */
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

  /**
   * Adds a connection. At the limit, the one that has been without a complete request for longest is closed instead.
   * @returns whether a connection was closed: the new one if all others have a request
   */
  add(socket: Socket): boolean {
    const closed = this.count >= this.limit ? (this.#longestIdle() ?? socket) : undefined;
    closed?.destroy();
    if (closed) this.#open.delete(closed);
    if (closed === socket) return true;
    this.#open.set(socket, { pendingResponses: [], idleSinceMs: performance.now() });
    socket.once('close', () => this.#open.delete(socket));
    return closed !== undefined;
  }

  addRequest({ socket }: IncomingMessage, response: ServerResponse<IncomingMessage>): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.pendingResponses.push(response);
    response.once('close', () => {
      connection.pendingResponses = connection.pendingResponses.filter((pending) => pending !== response);
      connection.idleSinceMs = performance.now();
      if (this.#open.delete(socket) && !socket.destroyed) this.#open.set(socket, connection);
    });
  }

  /** @returns the responses that are not sent yet, in the order of their requests */
  pendingResponses(socket: Socket): ServerResponse<IncomingMessage>[] {
    return this.#open.get(socket)?.pendingResponses ?? [];
  }

  /** Closes connections that were never used. Node does not count them as idle. */
  closeUnused(): void {
    for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Closes connections without a request for so long. Node's timeouts do not end one on which empty lines keep arriving. */
  closeIdle(afterMs: number): void {
    for (const [socket, { pendingResponses, idleSinceMs }] of this.#open)
      if (pendingResponses.length === 0 && performance.now() - idleSinceMs > afterMs) socket.destroy();
  }

  #longestIdle(): Socket | undefined {
    for (const [socket, { pendingResponses }] of this.#open) if (pendingResponses.length === 0) return socket;
    return undefined;
  }
}
