type SearchFailedOptions = ErrorOptions & { status?: number | undefined; forOperators?: boolean };

/** Elasticsearch is unavailable or searched only a part of the index. The API returns an error, no incomplete page. */
export class SearchFailed extends Error {
  override readonly name = 'SearchFailed';
  /** The HTTP status of Elasticsearch's response. */
  readonly status: number | undefined;
  /** Whether the message says what an operator has to do. */
  readonly forOperators: boolean;

  constructor(message: string, { status, forOperators = false, ...options }: SearchFailedOptions = {}) {
    super(message, options);
    this.status = status;
    this.forOperators = forOperators;
  }
}

/** The response is from another index than the one that its query was built for, or from more than that one. */
export class IndexMoved extends SearchFailed {
  constructor() {
    super('the alias moves from one index to another');
  }
}

/** Replaces other errors of a request to Elasticsearch. @throws ClientDisconnected, or else SearchFailed */
export async function asSearch<T>(request: Promise<T>, client: { disconnected: AbortSignal }, message: string): Promise<T> {
  return request.catch((cause: unknown) => {
    client.disconnected.throwIfAborted();
    throw cause instanceof SearchFailed ? cause : new SearchFailed(message, { cause });
  });
}
