import { request, type ClientRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { worstRequests, type WorstRequest } from './worst-requests.ts';

export type HostileOptions = { baseUrl: string; userId: number; largeItemId: number; connections: number };

/** Connections of one user that send the worst requests, slow bodies and abandoned requests, and lie idle, until the thread is ended. */
const { baseUrl, userId, largeItemId, connections } = workerData as HostileOptions;
const requests = await worstRequests(userId, largeItemId);
const statuses = new Map<string, number>();

await Promise.all([...Array.from({ length: connections }, (_, n) => hostileCaller(n)), report()]);

async function hostileCaller(first: number): Promise<never> {
  for (let n = first; ; n += 1) {
    const worst = requests[n % requests.length];
    if (!worst) throw new Error('there are no requests');
    const status = await send(worst, n);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
}

function send(worst: WorstRequest, n: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const sent = request(`${baseUrl}${worst.path}`, { method: worst.method, headers: worst.headers, agent: false }, (answer) => {
    answer.resume();
    answer.once('close', () => resolve(String(answer.statusCode)));
  });
  sent.once('error', () => resolve('no answer'));
  if (n % 7 === 0) void abandon(sent, worst);
  else if (n % 11 === 0 && worst.body !== undefined) void trickle(sent, worst.body);
  else sent.end(worst.body);
  return promise;
}

async function abandon(sent: ClientRequest, { body }: WorstRequest): Promise<void> {
  sent.end(body);
  await delay(Math.random() * 50);
  sent.destroy();
}

/** Announces all of the body and sends a byte a second. */
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
