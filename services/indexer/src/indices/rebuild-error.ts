/** An index could not be created, compared or swapped; the searched index is unchanged. For the operator. */
export class RebuildError extends Error {
  override readonly name = 'RebuildError';
}
