import { toJsonLine } from '@ugc/shared/cli/output';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';

/** A file of JSON lines that is made when the first one is written. */
export class ReportFile {
  readonly path: string;
  #stream: WriteStream | undefined;
  #error: Error | undefined;

  constructor(path: string) {
    this.path = path;
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }

  /** @throws the error of an earlier write */
  write(value: object): void {
    if (this.#error) throw this.#error;
    this.#stream ??= createWriteStream(this.path, { mode: 0o600 }).on('error', (error) => (this.#error ??= error));
    this.#stream.write(toJsonLine(value));
  }

  /** @throws the first error of the file */
  async end(): Promise<void> {
    if (this.#error) throw this.#error;
    if (this.#stream) await finished(this.#stream.end());
  }
}
