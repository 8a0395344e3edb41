import { once } from 'node:events';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { problemBody, Problem } from './problem.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

const LINGER_MS = 1_000;

// Errors of Node's HTTP parser do not reach Koa.
const PARSER_PROBLEMS: Record<string, Problem> = {
  HPE_HEADER_OVERFLOW: new Problem(431, 'The headers are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'The request took too long to arrive.'),
};

/**
 * Waits until the responses to earlier requests on the connection are sent (RFC 9112, section 9.3.2), and never writes
 * into a response that has begun.
 */
export async function respondToInvalidHttp(
  error: NodeJS.ErrnoException,
  socket: Socket,
  pendingResponses: ServerResponse<IncomingMessage>[],
): Promise<void> {
  if (error.code === 'ECONNRESET') return void socket.destroy();
  // Only the last request, the invalid one, can be incomplete.
  const own = pendingResponses.find((response) => !response.req.complete);
  const earlier = pendingResponses.filter((response) => response !== own);
  await Promise.all(earlier.map((response) => once(response, 'close')));
  if (own?.headersSent || !socket.writable) return void socket.destroy();
  socket.end(toHttp(PARSER_PROBLEMS[error.code ?? ''] ?? new Problem(400, 'The request is not valid HTTP.')));
  // Otherwise a client that does not disconnect would keep the connection and its buffers.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function toHttp(problem: Problem): string {
  const body = JSON.stringify(problemBody(problem, '', ''));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
