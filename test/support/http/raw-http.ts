import { on, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { tokenOf } from './tokens.ts';

export type RawResponse = { status: number; headers: Record<string, string>; body: string };

/** Opens a TCP connection, for requests that HTTP clients do not send. */
export function openSocket(baseUrl: string): Socket {
  const { hostname, port } = new URL(baseUrl);
  return connect(Number(port), hostname);
}

/** Sends the bytes of `request`, keeps the connection open and reads until the service closes it. */
export async function sendRaw(baseUrl: string, request: string | Buffer): Promise<string> {
  const socket = openSocket(baseUrl);
  socket.write(request);
  return text(socket);
}

/** The header section of a request, with the empty line at its end. */
export function head(method: string, path: string, headers: string[] = []): string {
  return `${[`${method} ${path} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
}

export function parseRaw(response: string): RawResponse {
  const [start = '', ...rest] = response.split('\r\n\r\n');
  const [statusLine = '', ...lines] = start.split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.replace(/^[^:]*:\s*/, '')]));
  return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}

/** Reads one response from a connection that stays open. */
export async function readAnswer(socket: Socket): Promise<RawResponse> {
  let received = '';
  for await (const [bytes] of on(socket, 'data', { close: ['close', 'end'] }) as AsyncIterable<[Buffer]>) {
    received += bytes.toString();
    const response = parseRaw(received);
    const isComplete = Buffer.byteLength(response.body) >= Number(response.headers['content-length']);
    if (received.includes('\r\n\r\n') && isComplete) return response;
  }
  throw new Error(`the connection was closed before the response was complete: ${received}`);
}

export type OpenRequests = {
  /** Opens a connection and ignores its errors. */
  open(): Socket;
  /** Sends the header of a request with a JSON body of `length` bytes, and waits for 100 Continue. */
  begin(method: string, path: string, request: { token: string; length: number }): Promise<Socket>;
  /** Sends the header of an upload and waits for 100 Continue. */
  beginUpload(userId: number, ...headers: string[]): Promise<Socket>;
  /** Destroys all connections. */
  destroy(): void;
};

/** Connections for requests that a test does not complete. */
export function openRequests(baseUrl: () => string): OpenRequests {
  const sockets: Socket[] = [];
  const open = (): Socket => {
    const socket = openSocket(baseUrl()).on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
  const untilContinued = async (method: string, path: string, token: string, headers: string[]): Promise<Socket> => {
    const socket = open();
    const authorization = `Authorization: Bearer ${token}`;
    socket.write(head(method, path, [authorization, 'Content-Type: application/json', 'Expect: 100-continue', ...headers]));
    const [first] = (await once(socket, 'data')) as [Buffer];
    const response = first.toString();
    if (response !== 'HTTP/1.1 100 Continue\r\n\r\n') throw new Error(`expected 100 Continue, received: ${response}`);
    return socket;
  };
  const begin: OpenRequests['begin'] = (method, path, { token, length }) =>
    untilContinued(method, path, token, [`Content-Length: ${length}`]);
  const beginUpload: OpenRequests['beginUpload'] = async (userId, ...headers) =>
    untilContinued('POST', '/content', await tokenOf(userId), headers);
  const destroy = (): void => {
    for (const socket of sockets.splice(0)) socket.destroy();
  };
  return { open, begin, beginUpload, destroy };
}
