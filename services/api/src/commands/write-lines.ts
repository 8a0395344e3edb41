import { getStopSignal } from '@ugc/shared/cli/command';
import { toJsonLine } from '@ugc/shared/cli/output';
import { once } from 'node:events';

/** Writes objects to standard output as JSON, one a line, as fast as the reader takes them. */
export async function writeLines(lines: AsyncIterable<object>): Promise<void> {
  const signal = getStopSignal();
  // What a reader that has stopped does not take would keep the process from ending.
  signal.addEventListener('abort', () => process.stdout.destroy());
  for await (const line of lines) {
    signal.throwIfAborted();
    if (process.stdout.destroyed) return;
    if (!process.stdout.write(toJsonLine(line))) await once(process.stdout, 'drain', { signal }).catch(unlessClosed);
  }
}

/** A reader that closes the pipe, such as `head`, has read enough. */
function unlessClosed(error: unknown): void {
  if (!process.stdout.destroyed) throw error;
}
