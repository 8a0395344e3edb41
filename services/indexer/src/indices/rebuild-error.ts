/** An index could not be completed, or not compared; whoever asked for it reads why. What is searched stays as it was. */
export class RebuildError extends Error {
  override readonly name = 'RebuildFailed';
}
