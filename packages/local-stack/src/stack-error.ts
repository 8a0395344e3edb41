/** A failure that the user can correct. The message says how, so that no stack trace is printed. */
export class StackError extends Error {
  override readonly name = 'StackError';
}

export class StartInterrupted extends StackError {
  constructor() {
    super('The start was interrupted.');
  }
}
