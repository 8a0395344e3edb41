import { NO_FIELDS, type Definitions } from '@ugc/fields/definition';
import type { StoreFailure } from '@ugc/shared/failures/describe';
import { readDeclaredFields } from '@ugc/shared/fields/declared-fields';
import { bulkBackpressure, countPendingUpTo } from '@ugc/shared/outbox/backlog';
import { DatabaseUnavailable } from '@ugc/shared/postgres/errors';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { cached } from '@ugc/shared/timing/intervals';
import pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { brokenRule } from '../changes/item-rules.ts';
import type { UploadLimits } from '../fields/limits.ts';
import { batchesOf, type Batch, type Numbered, type Rejected } from './batches.ts';
import type { IgnoredField } from './counters.ts';
import { FieldsOfTags } from './fields-of-tags.ts';
import { FileEnds } from './file-ends.ts';
import { fieldsOf, type ImportLine } from './import-line.ts';
import { countImported, deleteMissing, markSeen, nextImported, type Missing } from './delete-missing.ts';
import { lastContentId } from './export-items.ts';
import { ownPrefix } from './external-id.ts';
import type { Line } from './read-lines.ts';
import { Reasons, reportOf, type ReportedLine } from './rejections.ts';
import { storeLines, type DryRun, type FileSoFar, type Outcome, type Result, type StoreOptions } from './store-lines.ts';
import { storePeople } from './store-people.ts';
import { UnknownFields, type UnknownField } from './unknown-fields.ts';

const RETRY_AFTER_MS = 1_000;
/** The longest outage of PostgreSQL that an import waits for. */
const OUTAGE_MAX_MS = 600_000;
const PENDING_SHOWN_MAX = 100_000;
/** An import does not count a long backlog for each of its batches. */
const PENDING_COUNTED_EVERY_MS = 1_000;

export type { ReportedLine } from './rejections.ts';
export type Counts = Record<Result | 'rejected', number>;
type Progress = { readBytes: number; counts: Counts; pending: number };
/** `checked`: of the `total` items with the prefix. `missing`: those that the file lacks. */
export type MissingProgress = { checked: number; total: number; missing: number };

type ImportOptions = {
  limits: UploadLimits;
  signal: AbortSignal;
  /** Everything is checked, and nothing is stored. */
  isDryRun: boolean;
  /** Whether items without downloads, or ratings, of their own take those of a changed line. */
  updatesCounters: boolean;
  /** The items with external ids that begin so, and that the file lacks, are deleted after it. */
  missingPrefix: string | undefined;
  /** See `FieldsOfTags`. */
  fieldsOfTags?: string[] | undefined;
  /** Whether the import waits for the indexers, so that other changes are searchable soon. */
  isPaced: boolean;
  onRejected: (rejected: ReportedLine) => void;
  onItem: (item: { externalId: string; contentId: number }) => void;
  /** Waits until the reports of rejected lines and of items have been written, but for a little. */
  untilReported?: () => Promise<void>;
  onProgress: (progress: Progress) => void;
  onMissing: (progress: MissingProgress) => void;
  /** Tells whether an error of PostgreSQL may pass. */
  describeFailure: (error: DatabaseUnavailable) => StoreFailure | undefined;
  onWait: (failure: StoreFailure) => void;
};

/** What an import has done with the lines of a file. */
export type Imported = {
  counts: Counts;
  /** The lines of which each field was ignored, as only a new item takes it. */
  ignoredFields: Map<IgnoredField, number>;
  ends: FileEnds;
  reasons: Reasons;
  unknownFields: UnknownField[];
  /** How many lines got values of declared fields from tags, by field. */
  fieldsOfTags: Map<string, number>;
  /** How many items the file lacks; undefined if that was not asked, or nothing was deleted, as the file may not be whole. */
  missing?: number | undefined;
};

/**
 * Stores the items of the lines, in batches of one transaction each. Whatever ends it, the same call continues: lines that
 * are stored change nothing.
 * @throws UsageError for prefixes of tags that no declared field has · DatabaseUnavailable if it does not pass, or after a long outage · the reason of `signal`
 */
export async function importLines(database: Database, lines: AsyncIterable<Line>, options: ImportOptions): Promise<Imported> {
  const counts: Counts = { created: 0, changed: 0, unchanged: 0, ignored: 0, skipped: 0, deleted: 0, rejected: 0 };
  const [ends, reasons] = [new FileEnds(), new Reasons()];
  const ignoredFields = new Map<IgnoredField, number>();
  const importer = new Importer(database, options, { counts, ignoredFields, reasons });
  const declared = await importer.begin();
  const unknownFields = new UnknownFields(fieldsOf(options.limits, declared));
  const fieldsOfTags = new FieldsOfTags(options.fieldsOfTags, declared);
  const rules = { limits: options.limits, declared, fieldsOfTags };
  const reading = { rules, ends, unknownFields, reject: (rejected: Rejected) => importer.reject(rejected) };
  // The next batch is read while PostgreSQL stores the one before.
  let storing = Promise.resolve();
  for await (const batch of batchesOf(lines, reading)) {
    await storing;
    storing = importer.store(batch);
    storing.catch(() => undefined);
  }
  await storing;
  const missing = counts.rejected === 0 && ends.isWhole ? await importer.deleteMissing() : undefined;
  return { missing, counts, ignoredFields, ends, reasons, unknownFields: unknownFields.list(), fieldsOfTags: fieldsOfTags.lines };
}

type Tally = Pick<Imported, 'counts' | 'ignoredFields' | 'reasons'>;

class Importer {
  readonly #database: Database;
  readonly #options: ImportOptions;
  readonly #tally: Tally;
  readonly #waitForBacklog: () => Promise<void>;
  readonly #countPending: () => Promise<number>;
  readonly #dryRun: DryRun | undefined;
  readonly #file: FileSoFar = { namesUsers: false, skippedItems: new Set(), ownItems: new Set() };
  #prefix = '';
  #declared: Definitions = NO_FIELDS;
  #missing: Missing | undefined;

  constructor(database: Database, options: ImportOptions, tally: Tally) {
    this.#database = database;
    this.#options = options;
    this.#tally = tally;
    this.#dryRun = options.isDryRun ? { newItems: new Map(), usernames: new Map() } : undefined;
    const countPending = () => this.#retried(() => countPendingUpTo(database, PENDING_SHOWN_MAX));
    this.#countPending = options.isDryRun ? () => Promise.resolve(0) : cached(PENDING_COUNTED_EVERY_MS, countPending);
    this.#waitForBacklog = options.isPaced && !options.isDryRun ? bulkBackpressure(database, { signal: options.signal }) : async () => {};
  }

  /** @returns the declared fields, which are the same for all lines */
  async begin(): Promise<Definitions> {
    this.#declared = await this.#retried(() => readDeclaredFields(this.#database));
    this.#prefix = await this.#retried(() => ownPrefix(this.#database));
    const { missingPrefix: prefix } = this.#options;
    if (prefix !== undefined)
      this.#missing = { prefix, isNamed: false, seen: new Set(), lastId: await this.#retried(() => lastContentId(this.#database)) };
    return this.#declared;
  }

  /** @returns how many items the file lacks; undefined if that was not asked, or the file has none with the prefix */
  async deleteMissing(): Promise<number | undefined> {
    const missing = this.#missing;
    if (!missing?.isNamed) return undefined;
    const done: MissingProgress = { checked: 0, total: await this.#retried(() => countImported(this.#database, missing)), missing: 0 };
    for (let after = ''; ;) {
      this.#options.signal.throwIfAborted();
      this.#options.onMissing(done);
      const rows = await this.#retried(() => nextImported(this.#database, missing, after));
      const last = rows.at(-1);
      if (!last) return done.missing;
      await this.#retried(() => this.#waitForBacklog());
      done.missing += await this.#retried(() => deleteMissing(this.#database, rows, missing, this.#options.isDryRun));
      done.checked += rows.length;
      after = last.externalId;
    }
  }

  reject(rejected: Rejected): void {
    const reported = reportOf(rejected);
    this.#tally.counts.rejected += 1;
    this.#tally.reasons.add(reported.errors);
    this.#options.onRejected(reported);
  }

  /** @throws the reason of `signal` · errors of the database */
  async store({ lines, readBytes }: Batch): Promise<void> {
    this.#options.signal.throwIfAborted();
    await this.#options.untilReported?.();
    if (lines.length > 0) {
      await this.#retried(() => this.#waitForBacklog());
      await this.#storeOrHalve(lines);
    }
    this.#options.onProgress({ readBytes, counts: this.#tally.counts, pending: await this.#countPending() });
  }

  /** A row that the database refuses rolls its batch back: the others are stored without it. */
  async #storeOrHalve(lines: Numbered[]): Promise<void> {
    try {
      const outcomes = await this.#retried(() => this.#storeBatch(lines.map(({ line }) => line)));
      lines.forEach((line, at) => this.#count(line, outcomes[at]));
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      const [line] = lines;
      if (lines.length === 1 && line)
        return this.reject({
          ...line,
          externalId: externalIdOf(line),
          errors: [brokenRule(error) ?? { detail: `is refused by the database: ${error.message}` }],
        });
      const half = lines.length >> 1;
      await this.#storeOrHalve(lines.slice(0, half));
      await this.#storeOrHalve(lines.slice(half));
    }
  }

  #count(numbered: Numbered, outcome: Outcome | undefined): void {
    if (!outcome) return;
    if ('errors' in outcome) return this.reject({ ...numbered, externalId: externalIdOf(numbered), errors: outcome.errors });
    const { counts, ignoredFields } = this.#tally;
    counts[outcome.result] += 1;
    for (const field of outcome.ignored ?? []) ignoredFields.set(field, (ignoredFields.get(field) ?? 0) + 1);
    if (!('kind' in numbered.line)) this.#noteItem(numbered.line, outcome);
  }

  #noteItem({ externalId }: ImportLine, outcome: Exclude<Outcome, { errors: unknown }>): void {
    if (this.#missing) markSeen(this.#missing, externalId, outcome.contentId);
    if (this.#dryRun && outcome.result === 'created') this.#dryRun.newItems.set(externalId, { isBlocked: outcome.isBlocked === true });
    else if (outcome.contentId !== undefined) this.#options.onItem({ externalId, contentId: outcome.contentId });
  }

  async #storeBatch(lines: Numbered['line'][]): Promise<Outcome[]> {
    const options = { ...this.#options, declared: this.#declared, prefix: this.#prefix, file: this.#file, dryRun: this.#dryRun };
    let outcomes: Outcome[] = [];
    const work = this.#database.transaction(async (tx) => {
      outcomes = await storeAll(tx, lines, options);
      if (this.#dryRun) throw new RolledBack();
    });
    await work.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
    return outcomes;
  }

  /** Repeats work while PostgreSQL is away. A transaction whose commit is unknown is safe to repeat. */
  async #retried<T>(work: () => Promise<T>): Promise<T> {
    const begunAtMs = performance.now();
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const failure = error instanceof DatabaseUnavailable ? this.#options.describeFailure(error) : undefined;
        if (!failure?.mayPass || performance.now() - begunAtMs > OUTAGE_MAX_MS) throw error;
        this.#options.onWait(failure);
        await delay(RETRY_AFTER_MS, undefined, { signal: this.#options.signal });
      }
    }
  }
}

/** The lines are of one kind. */
async function storeAll(tx: Tx, lines: Numbered['line'][], options: StoreOptions): Promise<Outcome[]> {
  const people = lines.flatMap((line) => ('kind' in line ? [line] : []));
  if (people.length > 0) return storePeople(tx, people, options);
  return storeLines(tx, lines.flatMap((line) => ('kind' in line ? [] : [line])), options); // prettier-ignore
}

function externalIdOf({ line }: Numbered): string | undefined {
  return 'externalId' in line ? line.externalId : undefined;
}

/** Rolls the transaction of a dry run back. */
class RolledBack extends Error {}
