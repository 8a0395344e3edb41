import { BULK_BATCH_SIZE } from '@ugc/shared/outbox/backlog';
import type { UploadLimits } from '../fields/limits.ts';
import type { ErrorDetail } from '../problems/problem.ts';
import type { FileEnds } from './file-ends.ts';
import { lineParser, type ImportLine, type LineRules, type ReadLine, type RejectedLine } from './import-line.ts';
import { isOfPeople, keyOfPerson, type PersonLine } from './people-lines.ts';
import type { Line, Origin } from './read-lines.ts';
import type { UnknownFields } from './unknown-fields.ts';

const BATCH_BYTES = 8 * 1_024 * 1_024;

/** `bytes`: as the line was read. */
export type Numbered<L = ImportLine | PersonLine> = { number: number; bytes: Buffer; line: L; origin?: Origin | undefined };
/** `bytes` is undefined if the line is too long. */
export type Rejected = RejectedLine & { number: number; bytes: Buffer | undefined; origin?: Origin | undefined };
/**
 * The lines of a batch are of one kind, and of different items or people. `seen`: how many lines were read for it, also wrong
 * ones; `from` and `readBytes`: where in the source it begins and ends.
 */
export type Batch = { lines: Numbered[]; kind: string; keys: Set<string>; bytes: number; seen: number; from: number; readBytes: number };

type Options = { rules: LineRules; ends: FileEnds; unknownFields: UnknownFields; reject: (rejected: Rejected) => void };

/**
 * Reads the lines of a file, and checks each of them. A batch is without lines if all that were read are wrong: between
 * batches an import can be stopped, shows how far it is, and lets its reports be written.
 */
export async function* batchesOf(lines: AsyncIterable<Line>, { rules, ends, unknownFields, reject }: Options): AsyncGenerator<Batch> {
  const parse = lineParser(rules);
  let batch = emptyBatch(0);
  for await (const { number, bytes, readBytes, origin } of lines) {
    const { value, line } = bytes ? parse(bytes) : unread(origin, rules.limits);
    if ('end' in line) ends.addEnd(line.end);
    else if (!isBlank(bytes)) {
      ends.addLine(contentIdOf(value));
      if (!isOfPeople(value)) unknownFields.add(value);
      if ('errors' in line) reject({ number, bytes, origin, ...line });
      else if (bytes) {
        if (!hasRoom(batch, line, bytes.length)) {
          yield batch;
          batch = emptyBatch(batch.readBytes);
        }
        addTo(batch, { number, bytes, line, origin });
      }
    }
    batch.readBytes = readBytes;
    if (hasSeenEnough(batch)) {
      yield batch;
      batch = emptyBatch(readBytes);
    }
  }
  yield batch;
}

function emptyBatch(from: number): Batch {
  return { lines: [], kind: '', keys: new Set(), bytes: 0, seen: 0, from, readBytes: from };
}

function hasSeenEnough(batch: Batch): boolean {
  batch.seen += 1;
  return batch.seen >= BULK_BATCH_SIZE || batch.readBytes - batch.from >= BATCH_BYTES;
}

function addTo(batch: Batch, numbered: Numbered): void {
  batch.lines.push(numbered);
  batch.kind = kindOf(numbered.line);
  batch.keys.add(keyOf(numbered.line));
  batch.bytes += numbered.bytes.length;
}

function hasRoom({ lines, kind, bytes, keys }: Batch, line: Numbered['line'], size: number): boolean {
  const isSmall = lines.length < BULK_BATCH_SIZE && bytes + size <= BATCH_BYTES;
  return lines.length === 0 || (isSmall && kindOf(line) === kind && !keys.has(keyOf(line)));
}

function kindOf(line: Numbered['line']): string {
  return 'kind' in line ? line.kind : 'item';
}

function keyOf(line: Numbered['line']): string {
  return 'kind' in line ? keyOfPerson(line) : line.externalId;
}

function isBlank(bytes: Buffer | undefined): boolean {
  return bytes?.toString('latin1').trim() === '';
}

function unread(origin: Origin | undefined, { BODY_MAX_BYTES }: UploadLimits): ReadLine {
  if (origin?.rejected) return { value: undefined, line: origin.rejected };
  const errors: ErrorDetail[] = [{ detail: `is longer than ${BODY_MAX_BYTES} bytes, the limit of an upload` }];
  return { value: undefined, line: { externalId: undefined, errors } };
}

function contentIdOf(value: unknown): number | undefined {
  const isItem = typeof value === 'object' && value !== null && 'contentId' in value;
  return isItem && typeof value.contentId === 'number' ? value.contentId : undefined;
}
