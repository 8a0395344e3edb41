import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Connection = {
  /** Answers that have not been sent yet, in the order of their requests. */
  answers: ServerResponse<IncomingMessage>[];
  /** Since when nothing has been asked, by the monotonic clock. */
  idleSinceMs: number;
  /** What had been read from the socket then; more means that a request has begun to arrive. */
  idleAtBytes: number;
};

/** Above this share of the limit connections are given up to make room for new ones. */
const CROWDED_SHARE = 0.8;
const IDLE_AT_LEAST_MS = 5_000;

/** The open connections of the API's port, and what each of them is doing. */
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

  opened(socket: Socket): void {
    this.#open.set(socket, { answers: [], idleSinceMs: performance.now(), idleAtBytes: socket.bytesRead });
    socket.once('close', () => this.#open.delete(socket));
  }

  /** A request has arrived; the connection is busy until its answer has been sent. */
  began({ socket }: IncomingMessage, response: ServerResponse<IncomingMessage>): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.answers.push(response);
    response.once('close', () => {
      connection.answers = connection.answers.filter((answer) => answer !== response);
      connection.idleSinceMs = performance.now();
      connection.idleAtBytes = socket.bytesRead;
    });
  }

  /** @returns the answers that this connection still waits for, in the order of their requests */
  answersOf(socket: Socket): ServerResponse<IncomingMessage>[] {
    return this.#open.get(socket)?.answers ?? [];
  }

  /** While it is crowded, closes connections that have been idle for some seconds, the longest idle first. */
  closeIdle(): void {
    if (!this.isCrowded()) return;
    const idleLongEnough = [...this.#open].filter(([socket, connection]) => isIdle(socket, connection));
    const longestFirst = idleLongEnough.toSorted(([, one], [, other]) => one.idleSinceMs - other.idleSinceMs);
    for (const [socket] of longestFirst) {
      if (!this.isCrowded()) return;
      this.#open.delete(socket);
      socket.destroy();
    }
  }
}

function isIdle(socket: Socket, { answers, idleSinceMs, idleAtBytes }: Connection): boolean {
  return answers.length === 0 && socket.bytesRead === idleAtBytes && performance.now() - idleSinceMs > IDLE_AT_LEAST_MS;
}
