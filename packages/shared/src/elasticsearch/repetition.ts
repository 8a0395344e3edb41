import { errors, type ConnectionRequestParams } from '@elastic/elasticsearch';

// When `DirectTransport` sends a request again: to another node, with other credentials, or in the form of another server.
// A second attempt on a new connection is in second-attempts.ts.

export function isOfNode(error: unknown): boolean {
  return error instanceof errors.ConnectionError || error instanceof errors.TimeoutError;
}

const READS = /\/_(search|msearch|count|mget|analyze)$/;
const NOT_SENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|Connect Timeout/;

/** A node without a master responds with these, and so does a proxy without its node. */
export const NODE_UNAVAILABLE = new Set([502, 503, 504]);

export function mayRepeat(error: unknown, params: ConnectionRequestParams): boolean {
  return error instanceof errors.ConnectionError && (NOT_SENT.test(error.message) || onlyReads(params));
}

export function onlyReads({ method, path }: ConnectionRequestParams): boolean {
  return method === 'GET' || method === 'HEAD' || READS.test(path);
}

export const UNAUTHORIZED = 401;

/** A server responds with these to the path or the media types of another server. */
export const REFUSED = new Set([400, 404, 405, 406]);

/** An overloaded proxy is not asked. */
export function mayBeOpenSearch(statusCode: number): boolean {
  return statusCode < 300 || REFUSED.has(statusCode);
}
