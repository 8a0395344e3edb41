import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { countDropped } from '@ugc/shared/outbox/dropped';
import { openIndexQueue } from '@ugc/shared/contracts/index-queue';
import { CLAIMS_BEFORE_ISOLATION } from '@ugc/shared/outbox/outbox';
import { connectProducer } from '@ugc/shared/stores/redis';
import { setTimeout as delay } from 'node:timers/promises';
import { inspectTargets, type InspectedTarget } from '../indices/target-indices.ts';
import { EXIT, printColumns, printJson, runCommand, tell, WrongUsage, type CommandDeps } from './command.ts';

const USAGE = `Usage: npx pnpm index:status [--json]
How far the index is behind PostgreSQL, and what it consists of. Exit codes: 0, 2 usage, 75 PostgreSQL does not answer.`;

const ANSWER_WITHIN_MS = 2_000;
const SAMPLED_FOR_MS = 1_000;
const UNANSWERED_NAMED = 10;

await runCommand(USAGE, ['json'], async (deps, { positionals, flags: { json = false } }) => {
  if (positionals.length > 0) throw new WrongUsage(`What is ${positionals.join(' ')}?`);
  const [outbox, queue, indices] = await Promise.all([readOutbox(deps), readQueue(deps), readIndices(deps)]);
  if (json) printJson({ ...outbox, queue, mappingVersion: MAPPING_VERSION, indices });
  else report({ outbox, queue, indices });
  return EXIT.done;
});

type Outbox = {
  pending: number;
  oldestPendingSeconds: number | null;
  rejected: number;
  /** Items whose newest change was rejected and then dropped. */
  dropped: number;
  /** Items whose last jobs all ended without an answer: perhaps they kill whoever indexes them. */
  unanswered: number[];
  pausedSince: Date | null;
};
type Queue = { waiting: number; active: number } | null;
type Index = Pick<InspectedTarget, 'indexName' | 'role' | 'mappingVersion' | 'retiredReason' | 'intact' | 'searched' | 'writesBlocked'> & {
  documents: number;
  documentsPerSecond: number;
};

async function readOutbox({ database }: CommandDeps): Promise<Outbox> {
  const [row] = await database.query<Omit<Outbox, 'dropped'>>(
    `select count(*) filter (where rejected_reason is null) as pending,
       extract(epoch from clock_timestamp() - min(pending_since) filter (where rejected_reason is null))::float8 as "oldestPendingSeconds",
       count(rejected_reason) as rejected,
       array(select content_id from index_outbox where claims > $1 and rejected_reason is null order by content_id limit $2)::float8[] as unanswered,
       (select paused_at from index_control) as "pausedSince"
     from index_outbox`,
    [CLAIMS_BEFORE_ISOLATION, UNANSWERED_NAMED],
  );
  const dropped = await countDropped(database);
  return { ...(row ?? { pending: 0, oldestPendingSeconds: null, rejected: 0, unanswered: [], pausedSince: null }), dropped };
}

/** Null when Redis does not answer. */
async function readQueue({ env }: CommandDeps): Promise<Queue> {
  const redis = connectProducer(env.REDIS_URL, () => undefined);
  const queue = openIndexQueue(redis, env.QUEUE_PREFIX, () => undefined);
  try {
    return await Promise.race([
      queue.getJobCounts('wait', 'active').then(({ wait = 0, active = 0 }) => ({ waiting: wait, active })),
      delay(ANSWER_WITHIN_MS, null),
    ]);
  } catch {
    return null;
  } finally {
    redis.disconnect();
  }
}

/** Null when Elasticsearch does not answer. The rate is what was written in a second just now. */
async function readIndices(deps: CommandDeps): Promise<Index[] | null> {
  try {
    const targets = (await inspectTargets(deps)).filter(({ intact }) => intact);
    const before = await countDocuments(deps, targets);
    await delay(SAMPLED_FOR_MS);
    const after = await countDocuments(deps, targets);
    return targets.map(({ indexName, role, mappingVersion, retiredReason, intact, searched, writesBlocked }) => {
      const { documents = 0, written = 0 } = after.get(indexName) ?? {};
      const documentsPerSecond = Math.round(((written - (before.get(indexName)?.written ?? 0)) * 1_000) / SAMPLED_FOR_MS);
      return { indexName, role, mappingVersion, retiredReason, intact, searched, writesBlocked, documents, documentsPerSecond };
    });
  } catch {
    return null;
  }
}

async function countDocuments({ elasticsearch }: CommandDeps, targets: InspectedTarget[]) {
  if (targets.length === 0) return new Map<string, { documents: number; written: number }>();
  const { indices = {} } = await elasticsearch.indices.stats({
    index: targets.map(({ indexName }) => indexName),
    metric: ['docs', 'indexing'],
  });
  return new Map(
    Object.entries(indices).map(([name, { primaries }]) => [
      name,
      { documents: primaries?.docs?.count ?? 0, written: primaries?.indexing?.index_total ?? 0 },
    ]),
  );
}

function report({ outbox, queue, indices }: { outbox: Outbox; queue: Queue; indices: Index[] | null }): void {
  const { pending, oldestPendingSeconds: oldest, rejected, dropped, unanswered, pausedSince } = outbox;
  printColumns([
    ['indexing', pausedSince ? `paused since ${pausedSince.toISOString()}; npx pnpm index:resume` : 'running'],
    ['pending', `${pending.toLocaleString('en')}${oldest === null ? '' : `, the oldest for ${oldest.toFixed(1)} s`}`],
    ['rejected', `${rejected.toLocaleString('en')}${rejected > 0 ? '; npx pnpm index:rejected list' : ''}`],
    ...(dropped > 0 ? [['dropped', `${dropped.toLocaleString('en')}, until their next change`]] : []),
    ...(unanswered.length > 0
      ? [['unanswered', `${unanswered.join(', ')}: their jobs end without an answer; see the indexers' logs`]]
      : []),
    ['queue', queue ? `${queue.waiting} jobs waiting, ${queue.active} active` : 'Redis does not answer'],
  ]);
  if (!indices) return tell('Elasticsearch does not answer.');
  const rows = indices.map((index) => [
    index.indexName,
    index.role,
    String(index.mappingVersion),
    index.documents.toLocaleString('en'),
    index.documentsPerSecond.toLocaleString('en'),
    remarks(index),
  ]);
  if (rows.length === 0) return tell('There is no index yet.');
  process.stdout.write('\n');
  printColumns([['index', 'role', 'mapping', 'documents', 'written/s', ''], ...rows]);
}

function remarks({ role, searched, writesBlocked, mappingVersion, retiredReason }: Index): string {
  return [
    searched && 'searched',
    writesBlocked && 'takes no writes at the moment',
    retiredReason !== null && `written no more: ${retiredReason}`,
    role === 'search' && mappingVersion !== MAPPING_VERSION && `this code has mapping ${MAPPING_VERSION}: npx pnpm index:rebuild`,
  ]
    .filter((remark) => remark !== false)
    .join('; ');
}
