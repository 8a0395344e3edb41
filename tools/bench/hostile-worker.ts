import { parentPort, workerData } from 'node:worker_threads';
import { ATTACKS } from './hostile-attacks.ts';

export type AttackerOptions = { baseUrl: string; userId: number; attack: number };

/** The thread of one attacker: it prepares, reports that it is ready, and attacks when it is told to. */
const { attack: index, ...target } = workerData as AttackerOptions;
const attack = ATTACKS[index];
if (!attack || !parentPort) throw new Error('there is no such attack');
const stopping = new AbortController();
parentPort.on('message', (message: 'attack' | 'stop') => {
  if (message === 'attack') void attack.run(target, stopping.signal);
  else stopping.abort();
});
await attack.prepare?.(target);
parentPort.postMessage('ready');
