import { parentPort, workerData } from 'node:worker_threads';
import { ATTACKS } from './hostile-attacks.ts';

export type AttackerOptions = { baseUrl: string; userIds: number[]; attack: number };

/** The thread of one attack: it prepares, reports that it is ready, and attacks when it is told to. */
const { attack: index, baseUrl, userIds } = workerData as AttackerOptions;
const targets = userIds.map((userId) => ({ baseUrl, userId }));
const [first] = targets;
const attack = ATTACKS[index];
if (!attack || !first || !parentPort) throw new Error('there is no such attack');
const stopping = new AbortController();
parentPort.on('message', (message: 'attack' | 'stop') => {
  if (message === 'attack') for (const target of targets) void attack.run(target, stopping.signal);
  else stopping.abort();
});
await attack.prepare?.(first);
parentPort.postMessage('ready');
