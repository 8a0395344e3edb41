import { pausedSince, pauseIndexing, resumeIndexing } from '@ugc/shared/index-pause';
import { setTimeout as delay } from 'node:timers/promises';
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
  const underWay = await untilIdle(deps);
  const since = await pausedSince(deps.database);
  if (json) printJson({ pausedSince: since, underWay });
  else tell(`Indexing is paused since ${since?.toISOString() ?? 'just now'}; npx pnpm index:resume ends that.`);
  if (underWay === 0) return EXIT.done;
  tell(`${underWay} changes are still under way in an indexer that has not answered for ${WAIT_AT_MOST_MS / 1_000} s.`);
  return EXIT.bad;
}

async function resume({ database }: CommandDeps, json: boolean): Promise<number> {
  await resumeIndexing(database);
  if (json) printJson({ pausedSince: null });
  else tell('Indexing goes on.');
  return EXIT.done;
}

/** What an indexer had begun to write when it was paused it may still write. @returns the number of changes that are still under way */
async function untilIdle({ database, signal }: CommandDeps): Promise<number> {
  const deadline = Date.now() + WAIT_AT_MOST_MS;
  for (;;) {
    const [row] = await database.query<{ claimed: number }>(`select count(*) as claimed from index_outbox where job_id is not null`);
    const claimed = row?.claimed ?? 0;
    if (claimed === 0 || Date.now() > deadline) return claimed;
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}
