import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Connection = {
  pendingResponses: ServerResponse<IncomingMessage>[];
  idleSinceMs: number;
  /** Bytes read from the socket when the idle period began. If more have been read since, a request is arriving. */
  idleAtBytes: number;
};

/** Above this share of the limit, idle connections are closed so that new clients can connect. */
const CROWDED_SHARE = 0.8;
const IDLE_AT_LEAST_MS = 5_000;

export class Connections {
  readonly limit: number;
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

  add(socket: Socket): void {
    this.#open.set(socket, { pendingResponses: [], idleSinceMs: performance.now(), idleAtBytes: socket.bytesRead });
    socket.once('close', () => this.#open.delete(socket));
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
    });
  }

  /** @returns the responses that are not sent yet, in the order of their requests */
  pendingResponses(socket: Socket): ServerResponse<IncomingMessage>[] {
    return this.#open.get(socket)?.pendingResponses ?? [];
  }

  /** Closes idle connections, the longest idle first, until the number of connections is below the threshold. */
  closeIdle(): void {
    if (!this.isCrowded()) return;
    const idle = [...this.#open].filter(([socket, connection]) => isIdle(socket, connection));
    const longestIdleFirst = idle.toSorted(([, one], [, other]) => one.idleSinceMs - other.idleSinceMs);
    for (const [socket] of longestIdleFirst) {
      if (!this.isCrowded()) return;
      this.#open.delete(socket);
      socket.destroy();
    }
  }
}

function isIdle(socket: Socket, { pendingResponses, idleSinceMs, idleAtBytes }: Connection): boolean {
  return pendingResponses.length === 0 && socket.bytesRead === idleAtBytes && performance.now() - idleSinceMs > IDLE_AT_LEAST_MS;
}
