import { EXIT } from '@ugc/shared/cli/command';
import { printJson, printLine, printMessage } from '@ugc/shared/cli/output';
import type { IgnoredField } from '@ugc/items/files/counters';
import type { Imported } from '@ugc/items/files/import-lines';
import type { UnknownField } from '@ugc/items/files/unknown-fields';

/** `file`: how messages call it. */
type Report = {
  file: string;
  rejectedPath: string;
  seconds: number;
  json?: boolean;
  dryRun?: boolean;
  update?: 'counters';
  deleteMissing?: string;
};

const SHOWN_REASONS = 3;

/** Prints what an import has done, and sets the exit code. */
export function reportImport(imported: Imported, options: Report): void {
  const { counts, ignoredFields, unknownFields, fieldsOfTags } = imported;
  printUnknown(unknownFields);
  printIgnored(ignoredFields, options.update);
  printFieldsOfTags(fieldsOfTags);
  const parts = Object.entries(counts).map(([result, count]) => `${result} ${count.toLocaleString('en')}`);
  if (options.json) printJson({ ...counts, seconds: options.seconds, ...remarksOf(imported) });
  else printLine(`${parts.join(', ')}, ${options.seconds} s${options.dryRun ? '; nothing was stored (--dry-run)' : ''}`);
  printRejected(imported, options.rejectedPath);
  printEnds(imported, options);
  const isUndone = options.deleteMissing !== undefined && imported.missing === undefined;
  if (counts.rejected > 0 || imported.ends.isCut || isUndone) process.exitCode = EXIT.badResult;
}

function printRejected({ counts, reasons }: Imported, path: string): void {
  if (counts.rejected === 0) return;
  printMessage(
    'The commonest reasons for rejected lines:',
    ...reasons.commonest(SHOWN_REASONS).map(({ reason, lines }) => `- in ${inLines(lines)}: ${reason}`),
    `${path} has the rejected lines with their numbers and errors.`,
  );
}

function printEnds(imported: Imported, { file, dryRun, deleteMissing }: Report): void {
  for (const { counted, read } of imported.ends.differences)
    printMessage(`The last line of an export counts ${counted} lines, and there are ${read}: some were added or removed since.`);
  if (imported.ends.isCut) {
    const stored = dryRun ? '' : ' What it has is stored.';
    printMessage(
      `${file} is cut: its first line announces a last one, which is not there. The export was stopped, its disk was full, or the file ` +
        `was not copied to its end.${stored} Import the complete file.`,
    );
  }
  if (deleteMissing !== undefined) printMessage(missingMessage(imported, deleteMissing, dryRun));
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

function printFieldsOfTags(fields: Map<string, number>): void {
  if (fields.size > 0) printMessage('Values from tags:', ...[...fields].map(([field, lines]) => `- ${field} in ${inLines(lines)}`));
}

/** What the counts do not say. */
function remarksOf({ ends, ignoredFields, missing, unknownFields, fieldsOfTags }: Imported): object {
  return {
    ...(ignoredFields.size > 0 && { ignoredFields: Object.fromEntries(ignoredFields) }),
    ...(unknownFields.length > 0 && { unknownFields }),
    ...(fieldsOfTags.size > 0 && { fieldsOfTags: Object.fromEntries(fieldsOfTags) }),
    ...(missing !== undefined && { missing }),
    ...(ends.isCut && { isCut: true }),
  };
}

function inLines(count: number): string {
  return count === 1 ? '1 line' : `${count.toLocaleString('en')} lines`;
}

function missingMessage({ counts, ends, missing }: Imported, prefix: string, dryRun = false): string {
  if (missing !== undefined)
    return `${missing.toLocaleString('en')} items of ${prefix} are not in the file, and ${dryRun ? 'would be' : 'are'} deleted.`;
  const reasons: [boolean, string][] = [
    [counts.rejected > 0, 'lines were rejected, and their items may be meant to stay'],
    [!ends.isWhole, 'no last line says that all items are there, as that of an export without --tag, --updated-from and --after does'],
    [true, 'no line has an externalId that begins so'],
  ];
  return `Nothing of ${prefix} is deleted: ${reasons.find(([applies]) => applies)?.[1]}.`;
}
