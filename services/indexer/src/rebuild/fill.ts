import { fromStored } from '@ugc/fields/definition';
import type { IndexTarget } from '@ugc/shared/indices/targets';
import type { Database } from '@ugc/shared/postgres/postgres';
import { DatabaseUnavailable } from '@ugc/shared/postgres/errors';
import { isolateItem } from '@ugc/shared/outbox/claim';
import { makeChanges, toChange, type Change } from '../documents/bulk.ts';
import { INDEXED_CONTENT, precedingBytes, type IndexedContent } from '@ugc/shared/contracts/content';
import { countContent } from '../comparison/read-range.ts';
import type { IndexDeps, Progress } from '../targets/target-indices.ts';
import { FillAttempts, FULL_BATCH } from './fill-attempts.ts';
import { createLostShardCheck } from '../targets/retire.ts';
import { textRulesOf } from '@ugc/text/rules/text-rules';
import { Backoff } from '../documents/backoff.ts';
import { fillBatch } from './fill-batch.ts';
import { IS_IN_WINDOW, windowEnd } from '../documents/item-window.ts';

/** Limits the memory that a batch takes. */
const BATCH_BYTES = 8 * 1024 * 1024;

/**
 * Writes every item and tombstone to an index, in content_id order, except what never was public, and continues where an earlier call stopped. It ends
 * at the last item of its beginning: jobs write later items to the index too, and the fill could follow uploads forever.
 * INDEX_FILL_CONCURRENCY ranges of items are written at a time. External versions make concurrent writes by jobs safe in
 * any order. Failures of Elasticsearch and PostgreSQL are retried without a limit. An item that repeatedly crashes the
 * process is left to the outbox.
 * @throws RebuildError
 */
export async function fillIndex(deps: IndexDeps, index: IndexTarget, progress: Progress): Promise<void> {
  const lastId = await retryWhileUnavailable(deps, () => latestContentId(deps.database));
  const total = await countContent(deps.database);
  let done = Math.max(0, total - (await countContent(deps.database, index.filledTo)));
  const report = (): void => progress('Filling', done, Math.max(done, total));
  const attempts = new FillAttempts(deps.database, index.indexName);
  const filling = {
    ...deps,
    index,
    lastId,
    attempts,
    report,
    retireIfLost: createLostShardCheck(),
    ahead: new ReadAhead((after) => readRanges({ ...deps, index, lastId }, after)),
  };
  report();
  try {
    for (let after = index.filledTo; after < lastId;) {
      const from = after;
      const filled = await retryWhileUnavailable(deps, () => fillAfter(filling, from));
      done += filled.items;
      report();
      after = filled.last ?? lastId;
    }
  } finally {
    // An attempt that stays counted only makes some batches smaller.
    await attempts.undo().catch((err: unknown) => deps.log.warn({ err }, 'could not undo the count of a fill attempt'));
  }
}

type Filling = IndexDeps & {
  index: IndexTarget;
  lastId: number;
  attempts: FillAttempts;
  retireIfLost: ReturnType<typeof createLostShardCheck>;
  ahead: ReadAhead;
  report: () => void;
};
/** `last` is the ID up to which the index is filled; undefined at the end. */
type Filled = { items: number; last: number | undefined };

/** May be repeated. */
async function fillAfter(filling: Filling, contentId: number): Promise<Filled> {
  const { attempts, lastId, ahead, signal } = filling;
  signal.throwIfAborted();
  await attempts.begin();
  const size = attempts.size();
  if (size === 0) return skipNext(filling, contentId);
  const ranges = attempts.isFirst() ? await ahead.take(contentId) : [await readNext(filling, contentId, size)];
  const items = ranges.reduce((sum, { changes }) => sum + changes.length, 0);
  const last = ranges.at(-1)?.last;
  if (attempts.isFirst() && last !== undefined && last < lastId) ahead.start(last);
  await fillRanges(filling, ranges);
  return complete(attempts, { items, last });
}

/** Whatever fails, nothing is written after it has returned: its caller then gives up the index lock. */
async function fillRanges(filling: Filling, ranges: FillRange[]): Promise<void> {
  const { index, attempts, retireIfLost, report } = filling;
  const failing = new AbortController();
  const deps = { ...filling, signal: AbortSignal.any([filling.signal, failing.signal]) };
  const onRetry = (): Promise<void> => {
    report();
    return retireIfLost(filling);
  };
  const errors: unknown[] = [];
  const fill = ({ changes }: FillRange): Promise<void> =>
    fillBatch(deps, index, { changes, attempts, onRetry }).catch((error: unknown) => {
      errors.push(error);
      failing.abort();
    });
  await Promise.all(ranges.map(fill));
  if (errors.length > 0) throw errors[0];
}

async function complete(attempts: FillAttempts, filled: Filled): Promise<Filled> {
  if (filled.last !== undefined) await attempts.completed(filled.last);
  return filled;
}

/** Leaves the next item to a job of its own. It crashed the process, so it is not read here. */
async function skipNext({ database, log, index, attempts }: Filling, afterContentId: number): Promise<Filled> {
  for (let after: number | undefined = afterContentId; after !== undefined;) {
    const end: number | undefined = await windowEnd(database, after);
    const select = `select content_id from content c where ${IS_IN_WINDOW} order by content_id limit 1`;
    const [row] = await database.query<{ contentId: number }>(select, [after, end ?? null]);
    after = end;
    if (!row) continue;
    const { contentId } = row;
    log.error({ contentId, indexName: index.indexName }, 'item repeatedly crashed the process that filled the index; it is isolated');
    await isolateItem(database, contentId);
    return complete(attempts, { items: 1, last: contentId });
  }
  return { items: 0, last: undefined };
}

async function latestContentId(database: Database): Promise<number> {
  const [row] = await database.query<{ lastId: number }>(`select coalesce(max(content_id), 0)::bigint as last_id from content`);
  return row?.lastId ?? 0;
}

type Reading = Pick<Filling, 'database' | 'index' | 'settings'>;
/** `last`: the id up to which nothing else is to be written; undefined if nothing follows. `changes` may be empty all the same. */
type FillRange = { changes: Change[]; last: number | undefined };

/** Consecutive ranges of items. Reading them one after the other takes a small part of the time that writing takes. */
async function readRanges(reading: Reading & Pick<Filling, 'lastId'>, afterContentId: number): Promise<FillRange[]> {
  const ranges: FillRange[] = [];
  let after: number | undefined = afterContentId;
  while (after !== undefined && after < reading.lastId && ranges.length < reading.settings.INDEX_FILL_CONCURRENCY) {
    const range = await readChanges(reading, after, FULL_BATCH);
    if (range.last !== undefined) ranges.push(range);
    after = range.last;
  }
  return ranges;
}

/** A batch that looks for the item that crashes its process has items. */
async function readNext(filling: Filling, afterContentId: number, limit: number): Promise<FillRange> {
  const range = await readChanges(filling, afterContentId, limit);
  if (range.changes.length > 0 || range.last === undefined) return range;
  filling.signal.throwIfAborted();
  return readNext(filling, range.last, limit);
}

async function readChanges({ database, index, settings }: Reading, afterContentId: number, limit: number): Promise<FillRange> {
  const end = await windowEnd(database, afterContentId);
  const rows = await database.query<IndexedContent>(
    `select ${INDEXED_CONTENT} from (
       select c.*, ${precedingBytes('c.content_id')} as preceding_bytes
       from (select * from content c where ${IS_IN_WINDOW} order by content_id limit $3) c
     ) c join users u on u.user_id = c.creator_id
     where c.preceding_bytes < $4 order by c.content_id`,
    [afterContentId, end ?? null, limit, BATCH_BYTES],
  );
  const form = { rules: textRulesOf(index.mappingVersion), hasData: settings.INDEX_DATA, definitions: fromStored(index.fields) };
  return { changes: await makeChanges(rows, (row) => toChange(row, form)), last: rows.at(-1)?.contentId ?? end };
}

async function retryWhileUnavailable<T>({ log, signal }: IndexDeps, query: () => Promise<T>): Promise<T> {
  const backoff = new Backoff();
  for (;;) {
    try {
      return await query();
    } catch (err) {
      if (!(err instanceof DatabaseUnavailable)) throw err;
      log.warn({ err }, 'PostgreSQL is unavailable; the fill waits');
      backoff.failed();
      await backoff.wait(signal);
    }
  }
}

/** Reads the ranges after an item that are written at the same time. */
type Read = (afterContentId: number) => Promise<FillRange[]>;

/** Reads ranges while those before them are written. Revisions make it harmless that an item changes in between. */
class ReadAhead {
  readonly #read: Read;
  #next: { after: number; ranges: Promise<FillRange[]> } | undefined;

  constructor(read: Read) {
    this.#read = read;
  }

  start(afterContentId: number): void {
    const ranges = this.#read(afterContentId);
    // `take` throws it. After an error of the write, nobody waits for it.
    ranges.catch(() => undefined);
    this.#next = { after: afterContentId, ranges };
  }

  /** Reads the ranges now if this has not been started. */
  async take(afterContentId: number): Promise<FillRange[]> {
    const next = this.#next;
    this.#next = undefined;
    return next?.after === afterContentId ? next.ranges : this.#read(afterContentId);
  }
}
