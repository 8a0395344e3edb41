import pg from 'pg';
import { sslFilesProblem } from '../process/ssl-mode.ts';
import { withoutFiles } from '../process/postgres-address.ts';

/**
 * A class of clients that read the files of certificates for each connection. The client's own constructor throws if one
 * is missing, as while it is renewed. An error in the constructor ends the process when a request waits for a
 * connection.
 */
export function clientWithFiles(url: string): typeof pg.Client {
  return class extends pg.Client {
    readonly #problem: string | undefined;

    constructor(config: pg.ClientConfig) {
      const problem = sslFilesProblem(url);
      super(problem === undefined ? config : { ...config, connectionString: withoutFiles(url) });
      this.#problem = problem;
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
      if (this.#problem === undefined) return callback ? super.connect(callback) : super.connect();
      const error = new Error(`DATABASE_URL: ${this.#problem}`);
      if (!callback) return Promise.reject(error);
      process.nextTick(callback, error);
    }
  };
}
