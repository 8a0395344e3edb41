import { printMessage } from './output.ts';

/**
 * An error of an output that has no listener ends the process with a stack trace. A reader that closes the pipe, such as
 * `head`, has read enough: the command goes on, and its exit code is that of its work.
 */
export function watchOutput(): { hasFailed(): Promise<boolean> } {
  let failure: NodeJS.ErrnoException | undefined;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= error;
  });
  const hasFailed = async (): Promise<boolean> => {
    await new Promise<void>((written) => process.stdout.write('', () => written()));
    // The event follows the callback.
    await new Promise(setImmediate);
    if (failure) printMessage(`The result could not be written to standard output: ${failure.message}`);
    return failure !== undefined;
  };
  return { hasFailed };
}
