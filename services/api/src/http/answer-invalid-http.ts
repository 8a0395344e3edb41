import { once } from 'node:events';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SECURITY_HEADERS } from '../middleware/security-headers.ts';
import { problemBody, Problem } from './problem.ts';

const LINGER_MS = 1_000;

// What Node's own parser refuses never reaches Koa; it gets the same kind of answer.
const PARSER_PROBLEMS: Record<string, Problem> = {
  HPE_HEADER_OVERFLOW: new Problem(431, 'The headers are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'The request took too long to arrive.'),
};

/**
 * Answers what is not valid HTTP, and closes the connection. Answers of earlier requests on the same connection are sent first: nothing is
 * ever written into an answer that has begun.
 * @param answers that the connection still waits for, in the order of their requests
 */
export async function answerInvalidHttp(
  error: NodeJS.ErrnoException,
  socket: Socket,
  answers: ServerResponse<IncomingMessage>[],
): Promise<void> {
  if (error.code === 'ECONNRESET') return void socket.destroy();
  // The request whose body is not valid is the last one; all before it are complete.
  const own = answers.find((answer) => !answer.req.complete);
  await Promise.all(answers.filter((answer) => answer !== own).map((answer) => once(answer, 'close')));
  if (own?.headersSent || !socket.writable) return void socket.destroy();
  socket.end(toHttp(PARSER_PROBLEMS[error.code ?? ''] ?? new Problem(400, 'The request is not valid HTTP.')));
  // A caller that does not hang up would otherwise keep its connection, and what it has sent of its request.
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
