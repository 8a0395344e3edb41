import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';

/** A file of JSON lines that is made when the first one is written. */
export class ReportFile {
  readonly path: string;
  #stream: WriteStream | undefined;

  constructor(path: string) {
    this.path = path;
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }

  write(value: object): void {
    this.#stream ??= createWriteStream(this.path, { mode: 0o600 });
    this.#stream.write(`${JSON.stringify(value)}\n`);
  }

  async end(): Promise<void> {
    if (!this.#stream) return;
    this.#stream.end();
    await finished(this.#stream);
  }
}
