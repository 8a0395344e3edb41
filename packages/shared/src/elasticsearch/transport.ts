import type { Attributes } from '@opentelemetry/api';
import {
  errors,
  Serializer,
  SniffingTransport,
  UndiciConnection,
  type Connection,
  type ConnectionRequestParams,
  type ConnectionRequestResponse,
  type ConnectionRequestResponseAsStream,
  type TransportOptions,
  type TransportRequestOptions,
  type TransportRequestParams,
  type TransportResult,
} from '@elastic/elasticsearch';
import { Readable } from 'node:stream';
import { authorizationOfFiles } from '../config/elasticsearch-address.ts';
import { endSpan, startClientSpan } from '../tracing/spans.ts';
import { NODE_UNAVAILABLE, isOfNode, mayBeOpenSearch, mayRepeat, onlyReads, REFUSED, UNAUTHORIZED } from './repetition.ts';
import { SecondAttempts, type Repeatable } from './second-attempts.ts';
import { fromOpenSearch, isOpenSearch, OPENSEARCH, toOpenSearch } from './opensearch.ts';

const CLIENT_NAME = 'elasticsearch-js';
const serializer = new Serializer();

type Response = ConnectionRequestResponse | ConnectionRequestResponseAsStream;

/**
 * Sends each request once, with a span of this service; to another node only if the first one cannot have taken it, or if
 * it only reads. The client's own transport has .97 of the throughput of a list of 10, so this one is kept for the rules
 * of nodes and for OpenSearch, and not for speed.
 *
 * Requests are in the form of Elasticsearch, whose responses name it. If another server responds, it is asked what it is.
 */
export class DirectTransport extends SniffingTransport {
  readonly #headers: TransportOptions['headers'];
  /** The header that has replaced the one of the client. */
  #authorization: string | undefined;
  readonly #contentTypes: TransportOptions['vendoredHeaders'];
  /** The server that has responded last. */
  #isOpenSearch = false;
  #asking: Promise<boolean> | undefined;
  readonly #secondAttempts = new SecondAttempts<Response>(this.connectionPool);

  constructor(options: TransportOptions) {
    super({ ...options, openTelemetry: { enabled: false } });
    this.#headers = options.headers;
    this.#contentTypes = options.vendoredHeaders;
  }

  /**
   * Supports the options `asStream`, `ignore`, `meta`, `requestTimeout`, `signal` and, as `Repeatable`, `context`. With
   * `asStream`, a response with any status is returned.
   * @throws ResponseError, ConnectionError, TimeoutError, RequestAbortedError, ProductNotSupportedError, UnsupportedOpenSearch
   */
  override async request(params: TransportRequestParams, options: TransportRequestOptions = {}): Promise<never> {
    const span = startClientSpan(() => describeRequest(params));
    const startedAt = performance.now();
    const result = this.#newResult(params, options);
    try {
      await this.#send(params, result, options);
      result.meta.duration = performance.now() - startedAt;
      this.diagnostic.emit('response', null, result);
      endSpan(span);
    } catch (error) {
      result.meta.duration = performance.now() - startedAt;
      this.diagnostic.emit('response', error, result);
      endSpan(span, error);
      throw error;
    }
    return (options.meta ? result : result.body) as never;
  }

  async #send(request: TransportRequestParams, result: TransportResult, options: TransportRequestOptions): Promise<void> {
    const authorization = this.#authorization;
    let response = await this.#sendToAny(result, options);
    if (response.statusCode === UNAUTHORIZED && this.#isRotated(authorization)) response = await this.#repeat(request, result, response);
    if (isOfElasticsearch(response) === isOfOpenSearch(result))
      response = await this.#sendAgain(request, result, response).catch((error: unknown) => {
        discard(response.body);
        throw error;
      });
    const { statusCode, headers, body } = response;
    Object.assign(result, { statusCode, headers });
    result.body = options.asStream ? body : parseBody(result, String(body));
    if (options.asStream) return;
    if (!isExpected(request, options, statusCode)) throw new errors.ResponseError(result);
    if (isOfOpenSearch(result)) result.body = fromOpenSearch(request, result.body);
  }

  /**
   * Repeats a request that the server has refused because it was written for another server.
   * @throws ProductNotSupportedError, UnsupportedOpenSearch
   */
  async #sendAgain(request: TransportRequestParams, result: TransportResult, response: Response): Promise<Response> {
    const wasOpenSearch = isOfOpenSearch(result);
    const { statusCode } = response;
    if (isOfElasticsearch(response)) this.#isOpenSearch = false;
    else if (!this.#isOpenSearch && mayBeOpenSearch(statusCode)) this.#isOpenSearch = await this.#ask();
    if (statusCode < 300 && !isOfElasticsearch(response) && !this.#isOpenSearch)
      throw new errors.ProductNotSupportedError('Elasticsearch', { ...result, ...response });
    if (!REFUSED.has(statusCode) || this.#isOpenSearch === wasOpenSearch) return response;
    return this.#repeat(request, result, response);
  }

  #repeat(request: TransportRequestParams, result: TransportResult, response: Response): Promise<Response> {
    const { options } = result.meta.request;
    discard(response.body);
    result.meta = this.#newResult(request, options).meta;
    return this.#sendToAny(result, options);
  }

  /** @returns whether the files contain other credentials than `sent`, which is then replaced */
  #isRotated(sent: string | undefined): boolean {
    const present = authorizationOfFiles();
    if (present === undefined || present === sent) return false;
    this.#authorization = present;
    return true;
  }

  /** Asks the server once for all requests that wait for it. @returns whether it is OpenSearch @throws UnsupportedOpenSearch */
  #ask(): Promise<boolean> {
    const forget = (): void => (this.#asking = undefined);
    return (this.#asking ??= this.#readDistribution().finally(forget));
  }

  async #readDistribution(): Promise<boolean> {
    const { statusCode, body } = await this.#sendToAny(this.#newResult({ method: 'GET', path: '/' }, {}, true), {});
    return statusCode === 200 && isOpenSearch(String(body));
  }

  async #sendToAny(result: TransportResult, options: TransportRequestOptions): Promise<Response> {
    const { params } = result.meta.request;
    const tried = new Set<Connection>();
    for (;;) {
      const connection = this.#connection(result, tried);
      const isLast = tried.add(connection).size === this.connectionPool.size;
      const response = await this.#sendTo(connection, params, options).catch((error: unknown) => {
        if (isOfNode(error)) this.connectionPool.markDead(connection);
        if (isLast || !mayRepeat(error, params)) throw error;
      });
      if (!response) continue;
      if (!NODE_UNAVAILABLE.has(response.statusCode)) this.connectionPool.markAlive(connection);
      else if (!isLast) {
        this.connectionPool.markDead(connection);
        if (onlyReads(params)) {
          discard(response.body);
          continue;
        }
      }
      return response;
    }
  }

  #connection(result: TransportResult, tried: Set<Connection>): Connection {
    const filter = (node: Connection): boolean => !tried.has(node);
    const context = { filter, requestId: 0, name: CLIENT_NAME, context: null, now: Date.now() };
    const connection = this.connectionPool.getConnection(context) ?? this.connectionPool.connections.find(filter);
    if (!connection) throw new errors.NoLivingConnectionsError('no node is configured', result);
    return connection;
  }

  #sendTo(connection: Connection, params: ConnectionRequestParams, request: TransportRequestOptions): Promise<Response> {
    const context = request.context as Repeatable | undefined;
    if (!context || !(connection instanceof UndiciConnection)) return this.#sendBy(connection, params, request);
    const send = (by: Connection, signal: AbortSignal) => this.#sendBy(by, params, { ...request, signal });
    return this.#secondAttempts.run(context, connection, send, request.signal);
  }

  async #sendBy(connection: Connection, params: ConnectionRequestParams, request: TransportRequestOptions): Promise<Response> {
    const { asStream, signal, requestTimeout } = request;
    const options = {
      requestId: 0,
      name: CLIENT_NAME,
      context: null,
      ...(signal && { signal }),
      ...(typeof requestTimeout === 'number' && { timeout: requestTimeout }),
    };
    // Not in `params`, which errors contain.
    const sent = { ...params, headers: { ...params.headers, ...(this.#authorization && { authorization: this.#authorization }) } };
    if (!asStream) return connection.request(sent, options);
    const response = await connection.request(sent, { ...options, asStream });
    // Whoever reads the body gets its error. Without a listener, that of a body which nobody reads ends the process.
    response.body.on('error', () => undefined);
    return response;
  }

  #newResult(request: TransportRequestParams, options: TransportRequestOptions, asOpenSearch = this.#isOpenSearch): TransportResult {
    const params = this.#toConnectionParams(request, asOpenSearch);
    const sent = { params, options, id: undefined };
    const context = asOpenSearch ? OPENSEARCH : null;
    const meta = { context, name: CLIENT_NAME, request: sent, connection: null, attempts: 0, aborted: false };
    return { body: undefined, statusCode: 0, headers: {}, warnings: null, meta };
  }

  #toConnectionParams(request: TransportRequestParams, asOpenSearch: boolean): ConnectionRequestParams {
    const { method, path, body, bulkBody, querystring } = asOpenSearch ? toOpenSearch(request) : request;
    const contentTypes = asOpenSearch ? undefined : this.#contentTypes;
    const { jsonContentType = 'application/json', ndjsonContentType = 'application/x-ndjson' } = contentTypes ?? {};
    const text = bulkBody === undefined ? serialize(body) : serializer.ndserialize(bulkBody as object[]);
    const headers = {
      ...this.#headers,
      accept: jsonContentType,
      'content-type': bulkBody === undefined ? jsonContentType : ndjsonContentType,
      ...(text !== undefined && { 'content-length': String(Buffer.byteLength(text)) }),
    };
    return { method, path, querystring: serializer.qserialize(querystring), headers, ...(text !== undefined && { body: text }) };
  }
}

function isExpected({ method }: TransportRequestParams, { ignore }: TransportRequestOptions, statusCode: number): boolean {
  return statusCode < 300 || ignore?.includes(statusCode) === true || (method === 'HEAD' && statusCode === 404);
}

function isOfElasticsearch({ headers }: Response): boolean {
  return headers['x-elastic-product'] === 'Elasticsearch';
}

function isOfOpenSearch({ meta }: TransportResult): boolean {
  return meta.context === OPENSEARCH;
}

/** An unread body would keep its connection for ever. */
function discard(body: unknown): void {
  if (body instanceof Readable) body.destroy();
}

/** Path and body may contain what users have written. */
function describeRequest({ meta, method }: TransportRequestParams): { name: string; attributes: Attributes } {
  return { name: `elasticsearch ${meta?.name ?? method}`, attributes: { 'db.system.name': 'elasticsearch' } };
}

function serialize(body: TransportRequestParams['body']): string | undefined {
  if (!body) return undefined;
  return typeof body === 'string' ? body : serializer.serialize(body);
}

function parseBody({ statusCode, headers, meta }: TransportResult, body: string): unknown {
  if (meta.request.params.method === 'HEAD') return statusCode < 400;
  return headers['content-type']?.includes('json') && body !== '' ? JSON.parse(body) : body;
}
