/** A failure that a store has caused, as sentences that name it and say what to do. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  /** Whether the same command may succeed later, without any change. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass, cause }: { mayPass: boolean; cause: unknown }) {
    super(message, { cause });
    this.mayPass = mayPass;
  }
}

/** @returns the first line of what has happened; errors of several addresses have no message of their own */
export function firstLine(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return firstLine(error.errors[0]);
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
