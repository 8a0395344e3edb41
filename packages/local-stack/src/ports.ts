import { randomInt } from 'node:crypto';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { StackError } from './stack-error.ts';

/** `variable`: names another port. Without it, a free port replaces one that is in use. */
export type PortRequest = { server: string; port: number; variable?: string };

/**
 * The ports that replace 0. The system gives ports above them to outgoing connections: one of these could take the port
 * of a server that restarts.
 */
export const FREE_PORTS = { min: 10_000, max: 32_767 };
const MAX_TRIES = 100;

/**
 * Checks that the ports are free and replaces every 0 by a free port, and those without a variable if they are in use.
 * All are opened at the same time, so that no two are equal.
 * @param taken ports that count as being in use
 * @throws StackError when a port is in use
 */
export async function choosePorts(requests: PortRequest[], taken: ReadonlySet<number> = new Set()): Promise<number[]> {
  const attempts = await Promise.allSettled(requests.map((request) => open(request, taken)));
  const listeners = attempts.filter((attempt) => attempt.status === 'fulfilled').map(({ value }) => value);
  const ports = listeners.map((listener) => (listener.address() as AddressInfo).port);
  await Promise.all(listeners.map((listener) => new Promise((closed) => listener.close(closed))));
  const failed = attempts.find((attempt) => attempt.status === 'rejected');
  if (failed) throw failed.reason;
  return ports;
}

async function open(request: PortRequest, taken: ReadonlySet<number>): Promise<Server> {
  if (request.port !== 0 && request.variable !== undefined) return listen(request, taken);
  if (request.port !== 0) return listen(request, taken).catch(() => open({ ...request, port: 0 }, taken));
  for (let tries = 1; tries < MAX_TRIES; tries++) {
    const listener = await listen(atRandomPort(request), taken).catch(() => undefined);
    if (listener) return listener;
  }
  return listen(atRandomPort(request), taken);
}

function atRandomPort(request: PortRequest): PortRequest {
  return { ...request, port: randomInt(FREE_PORTS.min, FREE_PORTS.max + 1) };
}

function listen(request: PortRequest, taken: ReadonlySet<number>): Promise<Server> {
  if (taken.has(request.port)) return Promise.reject(portError(request, { code: 'EADDRINUSE', message: '' }));
  return new Promise((resolve, reject) => {
    const listener = createServer();
    listener.once('error', (error: NodeJS.ErrnoException) => reject(portError(request, error)));
    listener.listen(request.port, '127.0.0.1', () => resolve(listener));
  });
}

function portError(
  { server, port, variable }: PortRequest,
  { code, message }: Pick<NodeJS.ErrnoException, 'code' | 'message'>,
): StackError {
  const why = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used (${message})`;
  const remedy = variable === undefined ? 'free it' : `free it, or set another port with ${variable}=<port>`;
  return new StackError(`Port ${port} for ${server} ${why}: ${remedy}.`);
}
