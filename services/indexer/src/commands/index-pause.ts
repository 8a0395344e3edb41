import { EXIT } from '@ugc/shared/cli/command';
import { printJson, printMessage } from '@ugc/shared/cli/output';
import type { Part } from '@ugc/shared/contracts/operations-status';
import { storeTimeout } from '@ugc/shared/timing/timeouts';
import { countChanges } from '@ugc/shared/outbox/backlog';
import { setTimeout as delay } from 'node:timers/promises';
import { pausedSince, pauseIndexing, resumeIndexing, isIndexLocked } from '@ugc/shared/indices/index-control';
import { countJobs } from '@ugc/shared/status/queue';
import { createIndexCommand, onRun, runIndexCommand, type CommandDeps, type JsonOption } from './index-command.ts';
import { withQueue } from './with-queue.ts';

const WAIT_MAX_MS = storeTimeout(30_000);
const CHECK_EVERY_MS = 100;

const command = createIndexCommand({
  name: 'npx pnpm index:pause',
  description: 'Pauses and resumes writes to Elasticsearch. Uploads continue; their changes stay pending.',
  exitCodes: { [EXIT.badResult]: 'paused, but an indexer is still writing' },
  example: 'npx pnpm index:pause && npx pnpm index:resume',
}).configureHelp({
  commandUsage: (cmd) => (cmd.parent ? `npx pnpm index:${cmd.name()} ${cmd.usage()}` : 'npx pnpm index:pause|index:resume [options]'),
});
onRun(command.command('pause').description('stop all writes to Elasticsearch'), pause);
onRun(command.command('resume').description('index all pending changes'), resume);
await runIndexCommand(command);

async function pause(deps: CommandDeps, { json }: JsonOption): Promise<number> {
  await pauseIndexing(deps.database);
  const activity = await waitUntilIdle(deps);
  const since = await pausedSince(deps.database);
  if (json) printJson({ pausedSince: since, ...activity });
  else printMessage(`Indexing is paused since ${since?.toISOString() ?? 'just now'}. Run npx pnpm index:resume to resume it.`);
  if (activity.isUnattended) printMessage(`No indexer runs: ${activity.underWay} changes stay in the queue.`);
  else if (activity.underWay > 0)
    printMessage(`An indexer has not released ${activity.underWay} changes within ${WAIT_MAX_MS / 1_000} s; it may still write them.`);
  if (activity.making) printMessage('An index is still being filled or checked; this stops before its next write.');
  return isIdle(activity) ? EXIT.done : EXIT.badResult;
}

async function resume({ database, env }: CommandDeps, { json }: JsonOption): Promise<number> {
  await resumeIndexing(database);
  const queue = await resumeQueue(env);
  if (json) printJson({ pausedSince: null });
  else printMessage('Indexing is resumed.');
  if ('problem' in queue) printMessage(`Whether BullMQ has paused the queue is unknown. ${queue.problem}`);
  else if (queue.value) printMessage('The queue was paused by BullMQ and is resumed as well.');
  return EXIT.done;
}

/** Ends a pause of BullMQ, as a dashboard sets it. @returns whether there was one */
function resumeQueue(env: CommandDeps['env']): Promise<Part<boolean>> {
  return withQueue(env, async (queue) => {
    const wasPaused = await queue.isPaused();
    if (wasPaused) await queue.resume();
    return wasPaused;
  });
}

/** `isUnattended`: no indexer runs, so that nothing is written. One that starts now sees the pause. */
type Activity = { underWay: number; making: boolean; isUnattended: boolean };

function isIdle({ underWay, making, isUnattended }: Activity): boolean {
  return (underWay === 0 || isUnattended) && !making;
}

/** An indexer may finish the writes that it began before the pause. */
async function waitUntilIdle(deps: CommandDeps): Promise<Activity> {
  const deadline = performance.now() + WAIT_MAX_MS;
  for (;;) {
    const activity = await readActivity(deps);
    if (isIdle(activity) || performance.now() > deadline) return activity;
    await delay(CHECK_EVERY_MS, undefined, { signal: deps.signal });
  }
}

async function readActivity({ database, env }: CommandDeps): Promise<Activity> {
  const underWay = await countChanges(database, 'claimed');
  const making = await isIndexLocked(database);
  return { underWay, making, isUnattended: underWay > 0 && (await isQueueUnattended(env)) };
}

async function isQueueUnattended(env: CommandDeps['env']): Promise<boolean> {
  const read = await withQueue(env, async (queue) => (await countJobs(queue)).active === 0 && (await queue.getWorkers()).length === 0);
  return 'value' in read && read.value;
}
