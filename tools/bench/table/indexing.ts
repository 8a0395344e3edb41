import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { countPendingUpTo } from '@ugc/shared/outbox/backlog';
import { startIndexCommand } from '../../../test/support/processes/command.ts';
import { until } from '../../../test/support/jest/until.ts';
import { median } from '../percentile.ts';
import { insertItems, type BenchStack } from './bench-stack.ts';
import { BulkLimit, prepareDocuments, untilIdle } from './bulk-limit.ts';
import type { Figure, Section } from './figure.ts';
import { measureProcess, measureWork, type Work } from './work.ts';

const BACKLOG = Number(process.env['BENCH_BACKLOG'] ?? 100_000);
const INSERT_BATCH = 5_000;

/**
 * A backlog indexed by one indexer, and a rebuild, beside the same documents written by plain `_bulk`.
 * BENCH_INDEXING_ROUNDS=1 makes a run with a million items shorter; BENCH_BACKLOG is the size of the backlog.
 */
export const measureIndexing: Section = async ({ stack, rounds: defaultRounds }) => {
  const rounds = Number(process.env['BENCH_INDEXING_ROUNDS'] ?? defaultRounds);
  return [await measureDrain(stack, rounds), await measureRebuild(stack, rounds)];
};

/** Both write to the searched index, the limit first: in a larger index, the version of a document is found more slowly. */
async function measureDrain(stack: BenchStack, rounds: number): Promise<Figure> {
  const { cluster, items } = stack;
  const { database, elasticsearch, env } = cluster;
  const count = Math.min(items, BACKLOG);
  const limit = new BulkLimit(cluster);
  const shape = await limit.choose(0);
  const measured: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await pauseIndexing(database);
    const afterContentId = await lastId(stack);
    for (let n = 0; n < count; n += INSERT_BATCH) await insertItems(database, Math.min(INSERT_BATCH, count - n), { pending: true });
    await database.query('vacuum analyze');
    const file = await prepareDocuments(cluster, afterContentId);
    await untilIdle(elasticsearch);
    const limited = await measureProcess(cluster, limit.start(file, env['CONTENT_ALIAS']));
    await untilIdle(elasticsearch);
    measured.push({ ours: await measureWork(cluster, cluster.indexer, () => drain(stack)), limit: limited });
    await removeItemsAfter(stack);
  }
  await limit.remove();
  return toFigure('drain of pending changes', 'indexer', { measured, count, shape });
}

async function drain({ cluster: { database, client } }: BenchStack): Promise<void> {
  await resumeIndexing(database);
  // An upload wakes the relay, which would otherwise look every 500 ms.
  await client.upload();
  await until('nothing is pending', async () => (await countPendingUpTo(database, 1)) === 0, 3_600_000, 250);
}

async function measureRebuild(stack: BenchStack, rounds: number): Promise<Figure> {
  const { cluster, items: count } = stack;
  const limit = new BulkLimit(cluster);
  const shape = await limit.choose(0);
  const file = await prepareDocuments(cluster, 0);
  const measured: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await untilIdle(cluster.elasticsearch);
    const ours = await rebuild(stack);
    await limit.prepare();
    measured.push({ ours, limit: await measureProcess(cluster, limit.start(file)) });
  }
  await limit.remove();
  return toFigure('rebuild', 'command', { measured, count, shape });
}

async function rebuild(stack: BenchStack): Promise<Work> {
  const { process: command, result } = startIndexCommand(stack.cluster.env, 'index-rebuild', '--json');
  const measured = await measureProcess(stack.cluster, command);
  const { code, stderr } = await result;
  if (code !== 0) throw new Error(`index-rebuild exited with code ${code}: ${stderr}`);
  await startIndexCommand(stack.cluster.env, 'index-rebuild', '--finish', '--json').result;
  return measured;
}

type Pair = { ours: Work; limit: Work };

type Row = { measured: Pair[]; count: number; shape: { documents: number; connections: number } };

function toFigure(path: string, program: string, { measured, count, shape }: Row): Figure {
  const cpu = (side: keyof Pair, part: keyof Work): number => Math.round((median(measured.map((pair) => pair[side][part])) * 1e6) / count);
  return {
    path,
    unit: 'items/s',
    limitedBy: 'the same documents by plain _bulk',
    goal: { atLeast: 0.7 },
    rounds: measured.map(({ ours, limit }) => ({ ours: count / ours.seconds, limit: count / limit.seconds })),
    details: {
      items: count,
      [`${program} CPU µs`]: cpu('ours', 'own'),
      'API CPU µs': cpu('ours', 'apis'),
      'PostgreSQL CPU µs': cpu('ours', 'postgres'),
      'Elasticsearch CPU µs': cpu('ours', 'elasticsearch'),
      'limit CPU µs': cpu('limit', 'own'),
      'limit Elasticsearch CPU µs': cpu('limit', 'elasticsearch'),
      'documents per bulk of limit': shape.documents,
      'connections of limit': shape.connections,
    },
  };
}

async function lastId({ cluster: { database } }: BenchStack): Promise<number> {
  const [row] = await database.query<{ last: number }>('select max(content_id) as last from content');
  return row?.last ?? 0;
}

/** The next rebuild removes their documents. */
async function removeItemsAfter({ cluster: { database }, items }: BenchStack): Promise<void> {
  await database.query('delete from content where content_id > $1', [items]);
  await database.query('vacuum analyze');
}
