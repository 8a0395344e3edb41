/** A failure a person can do something about; its message is all they need to read. */
export class StackError extends Error {
  override readonly name = 'StackError';
}
