import { createCommand, EXIT, getStopSignal, JSON_OPTION, parseWith, runCommand, UsageError } from '@ugc/shared/cli/command';
import { printJson, printMessage, progressBar } from '@ugc/shared/cli/output';
import { readEnv } from '@ugc/shared/config/env';
import { describePostgresFailure } from '@ugc/shared/failures/describe';
import type { Database } from '@ugc/shared/postgres/postgres';
import { throttle } from '@ugc/shared/timing/intervals';
import { createReadStream, existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { ImportEnv } from '../env.ts';
import type { UploadLimits } from '@ugc/items/fields/limits';
import { visibleText } from '@ugc/items/fields/text';
import { importLines, type Counts, type MissingProgress } from '@ugc/items/files/import-lines';
import { processName } from '@ugc/shared/postgres/earlier-processes';
import { openLines } from '@ugc/items/files/open-lines';
import { readLines, type Line } from '@ugc/items/files/read-lines';
import { ReportFile } from '@ugc/items/files/report-file';
import { WrongMap } from '@ugc/items/sources/wrong-map';
import { reportImport } from './import-report.ts';
import { failureOf, withDatabase } from './with-database.ts';

type Options = {
  dryRun?: boolean;
  wait: boolean;
  update?: 'counters';
  deleteMissing?: string;
  fieldsOfTags?: string[];
  map?: string;
  suggestMap?: string;
  yes?: boolean;
  rejected?: string;
  ids?: string;
  json?: boolean;
};

const STANDARD_INPUT = '-';
const REPORT_WAIT_EVERY_MS = 30_000;

const CONNECTION = { applicationName: processName('ugc-import'), maxConnections: 2, statementTimeoutMs: 60_000 };

const command = createCommand({
  name: 'npx pnpm run import',
  description:
    'Stores the items of a file with one JSON object a line: an upload with an externalId, and optionally creator, createdAt, updatedAt, ' +
    'downloadsCount and ratings. With --map, of a CSV, a TSV, a JSON array or lines of JSON of other programs. A line that was imported before changes nothing, so the same command continues after a stop, and ' +
    'tomorrow takes what has changed. docs/moving.md has the rules.',
  exitCodes: {
    [EXIT.done]: 'each line is stored',
    [EXIT.badResult]: 'some lines were rejected, the file is cut or of another form, a report cannot be written, or PostgreSQL refuses it',
    [EXIT.usage]: 'the arguments are wrong',
    [EXIT.tryAgain]: 'PostgreSQL does not respond; the same command continues',
    78: 'a variable is wrong',
    [EXIT.stopped]: 'stopped; the same command continues',
  },
  example: 'npx pnpm run import collection.ndjson --dry-run',
})
  .argument('<FILE>', `the file to read, also packed with gzip; ${STANDARD_INPUT} for standard input`)
  .option('--dry-run', 'check each line, and store nothing')
  .option('--no-wait', 'do not wait for the indexers: for the first import into a service that nobody uses yet')
  .option(
    '--update <WHAT>',
    'counters: take downloadsCount, latestDownloadsCount and ratings of changed lines for items without downloads, or ratings, of their own',
    parseWith('--update', z.literal('counters', 'must be counters')),
  )
  .option(
    '--delete-missing <PREFIX>',
    'delete the items of earlier imports whose externalId begins so, and that the file lacks; needs --yes, a last line and no rejected one',
    parseWith('--delete-missing', visibleText({ max: 200 })),
  )
  .option(
    '--fields-of-tags <PREFIX>',
    'make values of a declared field of tags: with game:, the tag game:1.20 becomes the value 1.20 of game; may be repeated',
    (prefix, prefixes: string[] = []) => [...prefixes, prefix],
  )
  .option('--map <MAP>', 'read a CSV, a TSV, a JSON array or JSON lines; MAP is a JSON file that says for each field where its value is')
  .option('--suggest-map <MAP>', 'write a map for FILE, by its first 100 items, and show three of them; nothing is stored')
  .option('--yes', 'do delete what is missing; --dry-run says how many items that are')
  .option('--rejected <FILE>', 'where rejected lines are reported (default: FILE.rejected.ndjson; for standard input, standard output)')
  .option('--ids <FILE>', 'write the externalId and the contentId of each line to a file')
  .option(...JSON_OPTION)
  .action(run);
await runCommand(command, (error) => (error instanceof WrongMap ? { message: error.lines, exitCode: EXIT.usage } : failureOf(error)));

async function run(file: string, options: Options): Promise<void> {
  const { DATABASE_URL: url, ...limits } = readEnv(ImportEnv);
  requireConsent(options);
  const [signal, fileBytes] = [getStopSignal(), sizeOf(file)];
  const connection = { ...CONNECTION, url };
  if (options.suggestMap !== undefined) return suggest(file, options.suggestMap, { connection, limits, json: options.json });
  const rejected = rejectedFile(file, options);
  const ids = options.ids === undefined ? undefined : new ReportFile(options.ids, '--ids');
  const begunAtMs = performance.now();
  requireDifferentFiles({ FILE: onDisk(file), '--map': options.map, '--rejected': rejected?.path, '--ids': ids?.path });
  await Promise.all([rejected?.remove(), ids?.remove()]);
  const open = await opener(file, limits, options);
  await withDatabase(connection, async (database) => {
    const { lines, isPacked } = await open(database);
    const bar = importProgress(isPacked ? 0 : fileBytes);
    const missingBar = missingProgress(options);
    const imported = await importLines(database, lines, {
      limits,
      signal,
      isDryRun: options.dryRun === true,
      updatesCounters: options.update === 'counters',
      missingPrefix: options.deleteMissing,
      fieldsOfTags: options.fieldsOfTags,
      isPaced: options.wait,
      onRejected: (line) => (rejected ? rejected.write(line) : printJson(line)),
      onItem: (item) => ids?.write(item),
      untilReported: async () => void (await Promise.all([rejected?.drained(), ids?.drained()])),
      onProgress: bar.update,
      onMissing: (progress) => void (bar.end(), missingBar.update(progress)),
      describeFailure: (error) => describePostgresFailure(error, url),
      onWait: throttle(REPORT_WAIT_EVERY_MS, ({ message }) => printMessage(`${message} The import tries again.`)),
    }).finally(() => void (bar.end(), missingBar.end()));
    await Promise.all([rejected?.end(), ids?.end()]);
    const seconds = Math.round((performance.now() - begunAtMs) / 100) / 10;
    reportImport(imported, { ...options, seconds, file: nameOf(file), rejectedPath: rejected?.path ?? 'Standard output' });
  });
}

type Opened = { lines: AsyncIterable<Line>; isPacked: boolean };

function onDisk(file: string): string | undefined {
  return file === STANDARD_INPUT ? undefined : file;
}

function bytesOf(file: string): AsyncIterable<Buffer> {
  return (file === STANDARD_INPUT ? process.stdin : createReadStream(file)) as AsyncIterable<Buffer>;
}

/** The form of a file is known before the database is asked. A map needs the declared fields. */
async function opener(
  file: string,
  limits: UploadLimits,
  { map, dryRun, json }: Options,
): Promise<(database: Database) => Promise<Opened>> {
  if (map === undefined) {
    const { chunks, isPacked } = await openLines(bytesOf(file), nameOf(file));
    return () => Promise.resolve({ lines: readLines(chunks, limits.BODY_MAX_BYTES), isPacked });
  }
  const { openMapped } = await import('./import-map.ts');
  const showsItems = dryRun === true && !json;
  return (database) => openMapped(database, bytesOf(file), { map, file: onDisk(file), name: nameOf(file), limits, showsItems });
}

type Suggesting = { connection: Parameters<typeof withDatabase>[0]; limits: UploadLimits; json: boolean | undefined };

async function suggest(file: string, map: string, { connection, limits, json }: Suggesting): Promise<void> {
  const { writeSuggestion } = await import('./suggest-map.ts');
  await withDatabase(connection, (database) => writeSuggestion(database, bytesOf(file), { map, file, name: nameOf(file), limits, json }));
}

function requireConsent({ deleteMissing, yes, dryRun }: Options): void {
  if (deleteMissing !== undefined && !yes && !dryRun)
    throw new UsageError('--delete-missing needs --yes; --dry-run says before how many items are missing');
}

function nameOf(file: string): string {
  return file === STANDARD_INPUT ? 'Standard input' : file;
}

/** A container may have no file that can be written, and standard input has no name. */
function rejectedFile(file: string, { rejected = file === STANDARD_INPUT ? undefined : `${file}.rejected.ndjson` }: Options) {
  return rejected === undefined ? undefined : new ReportFile(rejected, '--rejected');
}

/** A file that is written is removed first. */
function requireDifferentFiles(files: Record<string, string | undefined>): void {
  const names = new Map<string, string>();
  for (const [name, file] of Object.entries(files)) {
    if (file === undefined) continue;
    const path = existsSync(file) ? realpathSync.native(file) : resolve(file);
    const other = names.get(path);
    if (other) throw new UsageError(`${name} must not be the file of ${other}: ${file}`);
    names.set(path, name);
  }
}

function sizeOf(file: string): number {
  if (file === STANDARD_INPUT) return 0;
  if (!existsSync(file)) throw new UsageError(`FILE: there is no file ${file}`);
  return statSync(file).size;
}

/** Shows a bar, or prints what is done if the size of the source is unknown. */
function importProgress(totalBytes: number) {
  const bar = progressBar('Importing', 'bytes');
  const begunAtMs = performance.now();
  const print = throttle(5_000, (text: string) => printMessage(text));
  return {
    update({ readBytes, counts, pending }: { readBytes: number; counts: Counts; pending: number }): void {
      const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const perSecond = Math.round((done / (performance.now() - begunAtMs)) * 1_000);
      const note = `${done.toLocaleString('en')} lines, ${perSecond.toLocaleString('en')} a second, ${pending.toLocaleString('en')} pending`;
      if (totalBytes > 0) bar.update(readBytes, totalBytes, note);
      else print(`Importing ${note}`);
    },
    end: () => bar.end(),
  };
}

/** Checks all items with the prefix: thousands of deletions take as long as an import. */
function missingProgress({ dryRun }: Options) {
  const bar = progressBar('Looking for what is missing:', 'items');
  return {
    update: ({ checked, total, missing }: MissingProgress): void =>
      bar.update(checked, total, `${missing.toLocaleString('en')} ${dryRun ? 'missing' : 'deleted'}`),
    end: () => bar.end(),
  };
}
