import { once } from 'node:events';
import type { Socket } from 'node:net';
import { head, openSocket } from './raw-http.ts';
import { tokenOf } from './tokens.ts';

export type OpenRequests = {
  /** Opens a connection and ignores its errors. */
  open(): Socket;
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
  const beginUpload = async (userId: number, ...headers: string[]): Promise<Socket> => {
    const socket = open();
    const authorization = `Authorization: Bearer ${await tokenOf(userId)}`;
    socket.write(head('POST', '/content', [authorization, 'Content-Type: application/json', 'Expect: 100-continue', ...headers]));
    const [first] = (await once(socket, 'data')) as [Buffer];
    const response = first.toString();
    if (response !== 'HTTP/1.1 100 Continue\r\n\r\n') throw new Error(`expected 100 Continue, received: ${response}`);
    return socket;
  };
  const destroy = (): void => {
    for (const socket of sockets.splice(0)) socket.destroy();
  };
  return { open, beginUpload, destroy };
}
