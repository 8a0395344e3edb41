import type { Attributes } from '@opentelemetry/api';
import {
  errors,
  Serializer,
  SniffingTransport,
  type Connection,
  type ConnectionRequestParams,
  type TransportOptions,
  type TransportRequestOptions,
  type TransportRequestParams,
  type TransportResult,
} from '@elastic/elasticsearch';
import { Readable } from 'node:stream';
import { endSpan, startClientSpan } from '../tracing/spans.ts';

const CLIENT_NAME = 'elasticsearch-js';
const serializer = new Serializer();

/**
 * Sends each request once, without compression and spans; to another node only if the first one cannot have taken it, or
 * if it only reads. The client's own transport gives
 * each result a getter, and V8 allocates getters in the old generation: request and response then stay in memory until
 * the next collection of the complete heap. That, and what is omitted, took a fifth of the processor time of a list.
 */
export class DirectTransport extends SniffingTransport {
  readonly #headers: TransportOptions['headers'];
  readonly #contentTypes: TransportOptions['vendoredHeaders'];

  constructor(options: TransportOptions) {
    super({ ...options, openTelemetry: { enabled: false } });
    this.#headers = options.headers;
    this.#contentTypes = options.vendoredHeaders;
  }

  /**
   * Supports the options `asStream`, `ignore`, `meta`, `requestTimeout` and `signal`. With `asStream`, a response with
   * any status is returned.
   * @throws ResponseError, ConnectionError, TimeoutError, RequestAbortedError, ProductNotSupportedError
   */
  override async request(params: TransportRequestParams, options: TransportRequestOptions = {}): Promise<never> {
    const span = startClientSpan(() => describeRequest(params));
    const startedAt = performance.now();
    const result = newResult(this.#toConnectionParams(params), options);
    try {
      await this.#send(result, options);
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

  async #send(result: TransportResult, options: TransportRequestOptions): Promise<void> {
    const { params } = result.meta.request;
    const { statusCode, headers, body } = await this.#sendToAny(result, options);
    Object.assign(result, { statusCode, headers });
    if (statusCode < 300 && headers['x-elastic-product'] !== 'Elasticsearch') {
      throw new errors.ProductNotSupportedError('Elasticsearch', result);
    }
    result.body = options.asStream ? body : parseBody(result, String(body));
    const expected = options.asStream || statusCode < 400 || options.ignore?.includes(statusCode);
    if (!expected && !(params.method === 'HEAD' && statusCode === 404)) throw new errors.ResponseError(result);
  }

  async #sendToAny(result: TransportResult, options: TransportRequestOptions) {
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

  #sendTo(connection: Connection, params: ConnectionRequestParams, { asStream, signal, requestTimeout }: TransportRequestOptions) {
    const options = {
      requestId: 0,
      name: CLIENT_NAME,
      context: null,
      ...(signal && { signal }),
      ...(typeof requestTimeout === 'number' && { timeout: requestTimeout }),
    };
    return asStream ? connection.request(params, { ...options, asStream }) : connection.request(params, options);
  }

  #toConnectionParams({ method, path, body, bulkBody, querystring }: TransportRequestParams): ConnectionRequestParams {
    const { jsonContentType = 'application/json', ndjsonContentType = 'application/x-ndjson' } = this.#contentTypes ?? {};
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

function isOfNode(error: unknown): boolean {
  return error instanceof errors.ConnectionError || error instanceof errors.TimeoutError;
}

const READS = /\/_(search|msearch|count|mget|analyze)$/;
const NOT_SENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/;

/** A node without a master responds with these, and so does a proxy without its node. */
const NODE_UNAVAILABLE = new Set([502, 503, 504]);

function mayRepeat(error: unknown, params: ConnectionRequestParams): boolean {
  return error instanceof errors.ConnectionError && (NOT_SENT.test(error.message) || onlyReads(params));
}

function onlyReads({ method, path }: ConnectionRequestParams): boolean {
  return method === 'GET' || method === 'HEAD' || READS.test(path);
}

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

function newResult(params: ConnectionRequestParams, options: TransportRequestOptions): TransportResult {
  const request = { params, options, id: undefined };
  const meta = { context: null, name: CLIENT_NAME, request, connection: null, attempts: 0, aborted: false };
  return { body: undefined, statusCode: 0, headers: {}, warnings: null, meta };
}
