import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../http/problem.ts';
import { SearchFailed } from './response.ts';
import type { ListParameters } from './parameters.ts';

/**
 * Reads equal lists without a prompt once if they arrive in the same turn of the event loop. Many users request the same
 * list at once, such as the newest items, and its search takes most of the processor time. The search begins after that
 * turn, so each request receives what was searchable when it arrived.
 */
export class SharedLists<Response> {
  /** A new map each time: those that V8 has moved to the old generation keep every list alive that they ever contained. */
  #arrived: Map<string, Promise<Response>> | undefined;

  /** @param read reads the list with the limits and the connection of this request · @throws errors of `read` */
  async read(parameters: ListParameters, read: () => Promise<Response>): Promise<Response> {
    // Few requests repeat a prompt.
    if (parameters.prompt !== '') return read();
    const key = JSON.stringify(parameters);
    const shared = this.#arrived?.get(key);
    if (!shared) return this.#start(key, read);
    return shared.catch((error: unknown) => {
      if (concernsAll(error)) throw error;
      return this.read(parameters, read);
    });
  }

  async #start(key: string, read: () => Promise<Response>): Promise<Response> {
    this.#arrived ??= this.#newTurn();
    const started = nextTurn().then(read);
    this.#arrived.set(key, started);
    return started;
  }

  #newTurn(): Map<string, Promise<Response>> {
    void nextTurn().then(() => (this.#arrived = undefined));
    return new Map();
  }
}

/** Otherwise the client that the list was read for has disconnected, or one of its limits is reached. */
function concernsAll(error: unknown): boolean {
  return error instanceof SearchFailed || (error instanceof Problem && error.status !== 429);
}
