import { createCommand, EXIT, getStopSignal, JSON_OPTION, parseWith, runCommand, UsageError } from '@ugc/shared/cli/command';
import { printJson, printLine, printMessage, progressBar } from '@ugc/shared/cli/output';
import { readEnv } from '@ugc/shared/config/env';
import { describePostgresFailure } from '@ugc/shared/failures/describe';
import { throttle } from '@ugc/shared/timing/intervals';
import { createReadStream, existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { ImportEnv } from '../env.ts';
import type { IgnoredField } from '../import/counters.ts';
import { importLines, type Counts, type Imported } from '../import/import-lines.ts';
import { openLines } from '../import/open-lines.ts';
import { readLines } from '../import/read-lines.ts';
import { ReportFile } from '../import/report-file.ts';
import type { UnknownField } from '../import/unknown-fields.ts';
import { failureOf, withDatabase } from './with-database.ts';

type Options = { dryRun?: boolean; wait: boolean; update?: 'counters'; rejected?: string; ids?: string; json?: boolean };

const STANDARD_INPUT = '-';
const REPORT_WAIT_EVERY_MS = 30_000;
const SHOWN_REASONS = 3;

const command = createCommand({
  name: 'npx pnpm run import',
  description:
    'Stores the items of a file with one JSON object a line: an upload with an externalId, and optionally creator, createdAt, updatedAt, ' +
    'downloadsCount and ratings. A line that was imported before changes nothing, so the same command continues after a stop, and ' +
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
  .option('--rejected <FILE>', 'where rejected lines are reported (default: FILE.rejected.ndjson; for standard input, standard output)')
  .option('--ids <FILE>', 'write the externalId and the contentId of each line to a file')
  .option(...JSON_OPTION)
  .action(run);
await runCommand(command, failureOf);

async function run(file: string, options: Options): Promise<void> {
  const { DATABASE_URL: url, ...limits } = readEnv(ImportEnv);
  const signal = getStopSignal();
  const fileBytes = sizeOf(file);
  const rejected = rejectedFile(file, options);
  const ids = options.ids === undefined ? undefined : new ReportFile(options.ids, '--ids');
  const begunAtMs = performance.now();
  requireDifferentFiles({ FILE: file === STANDARD_INPUT ? undefined : file, '--rejected': rejected?.path, '--ids': ids?.path });
  await Promise.all([rejected?.remove(), ids?.remove()]);
  const source = (file === STANDARD_INPUT ? process.stdin : createReadStream(file)) as AsyncIterable<Buffer>;
  const { chunks, isPacked } = await openLines(source, file === STANDARD_INPUT ? 'Standard input' : file);
  const bar = importProgress(isPacked ? 0 : fileBytes);
  await withDatabase({ url, applicationName: 'ugc-import', maxConnections: 2, statementTimeoutMs: 60_000 }, async (database) => {
    const imported = await importLines(database, readLines(chunks, limits.BODY_MAX_BYTES), {
      limits,
      signal,
      isDryRun: options.dryRun === true,
      updatesCounters: options.update === 'counters',
      isPaced: options.wait,
      onRejected: (line) => (rejected ? rejected.write(line) : printJson(line)),
      onItem: (item) => ids?.write(item),
      onProgress: bar.update,
      describeFailure: (error) => describePostgresFailure(error, url),
      onWait: throttle(REPORT_WAIT_EVERY_MS, ({ message }) => printMessage(`${message} The import tries again.`)),
    }).finally(() => bar.end());
    await Promise.all([rejected?.end(), ids?.end()]);
    const seconds = Math.round((performance.now() - begunAtMs) / 100) / 10;
    report(imported, seconds, options, { file, rejected: rejected?.path ?? 'Standard output' });
  });
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

type Names = { file: string; rejected: string };

function report(imported: Imported, seconds: number, { json, dryRun, update }: Options, { file, rejected }: Names): void {
  const { counts, ignoredFields, ends, reasons, unknownFields } = imported;
  printUnknown(unknownFields);
  printIgnored(ignoredFields, update);
  const parts = Object.entries(counts).map(([result, count]) => `${result} ${count.toLocaleString('en')}`);
  if (json) printJson({ ...counts, seconds, ...remarksOf(imported) });
  else printLine(`${parts.join(', ')}, ${seconds} s${dryRun ? '; nothing was stored (--dry-run)' : ''}`);
  if (counts.rejected > 0) {
    printMessage(
      'The commonest reasons for rejected lines:',
      ...reasons.commonest(SHOWN_REASONS).map(({ reason, lines }) => `- in ${inLines(lines)}: ${reason}`),
      `${rejected} has the rejected lines with their numbers and errors.`,
    );
  }
  for (const { counted, read } of ends.differences)
    printMessage(`The last line of an export counts ${counted} lines, and there are ${read}: some were added or removed since.`);
  if (ends.isCut) printMessage(cutMessage(file, dryRun));
  if (counts.rejected > 0 || ends.isCut) process.exitCode = EXIT.badResult;
}

/** What may be wrong with each line comes before the counts, which look well. */
function printUnknown(fields: UnknownField[]): void {
  if (fields.length === 0) return;
  const lines = fields.map(
    (each) => `- ${each.field} in ${inLines(each.lines)}${each.known === undefined ? '' : `: is ${each.known} meant?`}`,
  );
  printMessage('Fields that an import does not know, and ignores:', ...lines);
}

function printIgnored(fields: Map<IgnoredField, number>, update?: 'counters'): void {
  if (fields.size === 0) return;
  const hint = update ? '.' : '; --update counters takes counters for items that have none of their own.';
  printMessage(
    `Fields that differ, and that only a new item takes${hint}`,
    ...[...fields].map(([field, lines]) => `- ${field} in ${inLines(lines)}`),
  );
}

/** What the counts do not say. */
function remarksOf({ ends, ignoredFields, unknownFields }: Imported): object {
  return {
    ...(ignoredFields.size > 0 && { ignoredFields: Object.fromEntries(ignoredFields) }),
    ...(unknownFields.length > 0 && { unknownFields }),
    ...(ends.isCut && { isCut: true }),
  };
}

function inLines(count: number): string {
  return count === 1 ? '1 line' : `${count.toLocaleString('en')} lines`;
}

function cutMessage(file: string, dryRun = false): string {
  const name = file === STANDARD_INPUT ? 'Standard input' : file;
  const stored = dryRun ? '' : ' What it has is stored.';
  return (
    `${name} is cut: its first line announces a last one, which is not there. The export was stopped, its disk was full, or the file ` +
    `was not copied to its end.${stored} Import the complete file.`
  );
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
