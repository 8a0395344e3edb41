import { once } from 'node:events';
import type { Socket } from 'node:net';
import { head, openSocket } from './raw-http.ts';
import { tokenOf } from './tokens.ts';

export type OpenRequests = {
  /** Opens a connection on which errors are ignored. */
  open(): Socket;
  /** Sends the head of an upload and waits until its body is asked for. */
  beginUpload(userId: number, ...headers: string[]): Promise<Socket>;
  /** Destroys every connection that was opened. */
  destroy(): void;
};

/** Connections whose requests a test leaves unfinished. */
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
    const answer = first.toString();
    if (answer !== 'HTTP/1.1 100 Continue\r\n\r\n') throw new Error(`the body was not asked for: ${answer}`);
    return socket;
  };
  const destroy = (): void => {
    for (const socket of sockets.splice(0)) socket.destroy();
  };
  return { open, beginUpload, destroy };
}
