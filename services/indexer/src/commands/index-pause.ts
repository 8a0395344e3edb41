import { pausedSince, pauseIndexing, resumeIndexing } from '../indices/pause.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { INDEX_LOCK } from '../indices/target-indices.ts';
import { EXIT, printJson, runCommand, tell, WrongUsage, type CommandDeps } from './command.ts';

const USAGE = `Usage: npx pnpm index:pause     nothing is written to Elasticsearch any more; uploads go on and wait
       npx pnpm index:resume    indexing goes on with all that has come meanwhile
--json prints JSON. Exit codes: 0 done, 1 paused but an indexer is still writing, 2 usage, 75 try again.`;

const WAIT_AT_MOST_MS = 30_000;
const LOOK_EVERY_MS = 100;

await runCommand(USAGE, ['json'], async (deps, { positionals: [action, ...more], flags: { json = false } }) => {
  if (more.length > 0) throw new WrongUsage(`What is ${more.join(' ')}?`);
  if (action === 'pause') return pause(deps, json);
  if (action === 'resume') return resume(deps, json);
  throw new WrongUsage('Say pause or resume.');
});

async function pause(deps: CommandDeps, json: boolean): Promise<number> {
  await pauseIndexing(deps.database);
  const busy = await untilIdle(deps);
  const since = await pausedSince(deps.database);
  if (json) printJson({ pausedSince: since, ...busy });
  else tell(`Indexing is paused since ${since?.toISOString() ?? 'just now'}; npx pnpm index:resume ends that.`);
  if (busy.underWay > 0)
    tell(`${busy.underWay} changes are still under way in an indexer that has not answered for ${WAIT_AT_MOST_MS / 1_000} s.`);
  if (busy.making) tell('An index is still being made or checked; it will stop by itself before it writes again.');
  return isIdle(busy) ? EXIT.done : EXIT.bad;
}

async function resume({ database }: CommandDeps, json: boolean): Promise<number> {
  await resumeIndexing(database);
  if (json) printJson({ pausedSince: null });
  else tell('Indexing goes on.');
  return EXIT.done;
}

/** Changes that are still under way, and whether an index is being made. */
type Busy = { underWay: number; making: boolean };

function isIdle({ underWay, making }: Busy): boolean {
  return underWay === 0 && !making;
}

/** What an indexer had begun to write when it was paused it may still write. */
async function untilIdle(deps: CommandDeps): Promise<Busy> {
  const deadline = performance.now() + WAIT_AT_MOST_MS;
  for (;;) {
    const busy = await look(deps);
    if (isIdle(busy) || performance.now() > deadline) return busy;
    await delay(LOOK_EVERY_MS, undefined, { signal: deps.signal });
  }
}

async function look({ database }: CommandDeps): Promise<Busy> {
  const [row] = await database.query<{ claimed: number }>(`select count(*) as claimed from index_outbox where job_id is not null`);
  const isFree = await database.withLock(INDEX_LOCK, () => Promise.resolve());
  return { underWay: row?.claimed ?? 0, making: !isFree };
}
