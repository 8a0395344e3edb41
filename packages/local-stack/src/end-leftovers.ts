import { setTimeout as sleep } from 'node:timers/promises';
import { endLeftover } from './pid-file.ts';

/** A server that may be left running on its data folder. */
export type Leftover = { name: string; dataDir: string; stopSignal: NodeJS.Signals };

const TRIES = 50;
const TRY_EVERY_MS = 100;

// All end at the same time, so that no server of a start that follows is found.
await Promise.all((JSON.parse(process.argv[2] ?? '[]') as Leftover[]).map(end));

async function end({ name, dataDir, stopSignal }: Leftover): Promise<void> {
  // It fails while the process that started the server still ends, or when another one has started it again.
  for (let tries = 0; tries < TRIES; tries++) {
    const hasEnded = await endLeftover(name, dataDir, stopSignal).then(
      () => true,
      () => false,
    );
    if (hasEnded) return;
    await sleep(TRY_EVERY_MS);
  }
}
