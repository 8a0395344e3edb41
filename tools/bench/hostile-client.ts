import { request, type ClientRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { worstRequests, type WorstRequest } from './worst-requests.ts';

export type HostileOptions = { baseUrl: string; userId: number; largeItemId: number; connections: number };

/**
 * A worker thread with connections of one user that send the most expensive requests, slow bodies and aborted requests
 * until the thread is terminated.
 */
const { baseUrl, userId, largeItemId, connections } = workerData as HostileOptions;
const requests = await worstRequests(userId, largeItemId);
const statuses = new Map<string, number>();

await Promise.all([...Array.from({ length: connections }, (_, n) => runConnection(n)), report()]);

async function runConnection(first: number): Promise<never> {
  for (let n = first; ; n += 1) {
    const worst = requests[n % requests.length];
    if (!worst) throw new Error('there are no requests');
    const status = await send(worst, n);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
}

function send(worst: WorstRequest, n: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const sent = request(`${baseUrl}${worst.path}`, { method: worst.method, headers: worst.headers, agent: false }, (response) => {
    response.resume();
    response.once('close', () => resolve(String(response.statusCode)));
  });
  sent.once('error', () => resolve('no response'));
  if (n % 7 === 0) void abort(sent, worst);
  else if (n % 11 === 0 && worst.body !== undefined) void trickle(sent, worst.body);
  else sent.end(worst.body);
  return promise;
}

async function abort(sent: ClientRequest, { body }: WorstRequest): Promise<void> {
  sent.end(body);
  await delay(Math.random() * 50);
  sent.destroy();
}

/** Declares the length of the complete body and sends one byte per second. */
async function trickle(sent: ClientRequest, body: string): Promise<void> {
  sent.setHeader('content-length', Buffer.byteLength(body));
  for (let position = 0; !sent.destroyed && position < body.length; position += 1) {
    sent.write(body.charAt(position));
    await delay(1_000);
  }
}

async function report(): Promise<never> {
  for (;;) {
    await delay(500);
    parentPort?.postMessage(Object.fromEntries(statuses));
  }
}
