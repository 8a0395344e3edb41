import { createServer, type AddressInfo, type Server } from 'node:net';
import { StackError } from './stack-error.ts';

export type PortWish = { server: string; port: number; variable: string };

/** The wished ports, with a free one in the place of every 0; all are looked at together, so that no two are the same. */
export async function choosePorts(wishes: PortWish[]): Promise<number[]> {
  const attempts = await Promise.allSettled(wishes.map(listen));
  const listeners = attempts.filter((attempt) => attempt.status === 'fulfilled').map(({ value }) => value);
  const ports = listeners.map((listener) => (listener.address() as AddressInfo).port);
  await Promise.all(listeners.map((listener) => new Promise((closed) => listener.close(closed))));
  const failed = attempts.find((attempt) => attempt.status === 'rejected');
  if (failed) throw failed.reason;
  return ports;
}

function listen(wish: PortWish): Promise<Server> {
  return new Promise((resolve, reject) => {
    const listener = createServer();
    listener.once('error', (error: NodeJS.ErrnoException) => reject(refusal(wish, error)));
    listener.listen(wish.port, '127.0.0.1', () => resolve(listener));
  });
}

function refusal({ server, port, variable }: PortWish, { code, message }: NodeJS.ErrnoException): StackError {
  const why = code === 'EADDRINUSE' ? 'is taken by another program' : `can't be used (${message})`;
  return new StackError(`Port ${port}, meant for ${server}, ${why}: free it, or choose another with ${variable}=<port>.`);
}
