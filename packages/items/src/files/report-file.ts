import { toJsonLine } from '@ugc/shared/cli/output';
import { describeWriteFailure } from '@ugc/shared/cli/write-failure';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';

/** A file of JSON lines that is made when the first one is written. `option` names it. */
export class ReportFile {
  readonly path: string;
  readonly #option: string;
  #stream: WriteStream | undefined;
  #error: Error | undefined;

  constructor(path: string, option: string) {
    this.path = path;
    this.#option = option;
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }

  /** @throws the error of an earlier write, with what to do */
  write(value: object): void {
    if (this.#error) throw this.#error;
    this.#stream ??= createWriteStream(this.path, { mode: 0o600 }).on('error', (error) => (this.#error ??= this.#describe(error)));
    this.#stream.write(toJsonLine(value));
  }

  /** Waits while much of it is not written yet, so that memory does not hold a long report. @throws the error of an earlier write */
  async drained(): Promise<void> {
    // The listener above keeps the error.
    if (!this.#error && this.#stream?.writableNeedDrain) await once(this.#stream, 'drain').catch(() => undefined);
    if (this.#error) throw this.#error;
  }

  /** @throws the first error of the file, with what to do */
  async end(): Promise<void> {
    if (this.#error) throw this.#error;
    if (this.#stream) {
      await finished(this.#stream.end()).catch((error: Error) => {
        throw this.#describe(error);
      });
    }
  }

  #describe(error: Error): Error {
    const failure = describeWriteFailure(error, this.path, `name another file with ${this.#option}`);
    return new Error(`${failure} The same command then continues.`);
  }
}
