import { BULK_BATCH_SIZE } from '@ugc/shared/outbox/backlog';
import type { Limits } from '../env.ts';
import type { ErrorDetail } from '../http/problem.ts';
import type { FileEnds } from './file-ends.ts';
import { lineParser, type ImportLine, type ReadLine, type RejectedLine } from './import-line.ts';
import type { Line } from './read-lines.ts';
import type { UnknownFields } from './unknown-fields.ts';

const BATCH_BYTES = 8 * 1_024 * 1_024;

/** `bytes`: as the line was read. */
export type Numbered = { number: number; bytes: Buffer; item: ImportLine };
/** `bytes` is undefined if the line is too long. */
export type Rejected = RejectedLine & { number: number; bytes: Buffer | undefined };
/** The lines of a batch have different external ids. */
export type Batch = { lines: Numbered[]; ids: Set<string>; bytes: number; readBytes: number };

type Options = { limits: Limits; ends: FileEnds; unknownFields: UnknownFields; reject: (rejected: Rejected) => void };

/** Reads the lines of a file, and checks each of them. */
export async function* batchesOf(lines: AsyncIterable<Line>, { limits, ends, unknownFields, reject }: Options): AsyncGenerator<Batch> {
  const parse = lineParser(limits);
  let batch = emptyBatch();
  for await (const { number, bytes, readBytes } of lines) {
    const { value, line } = bytes ? parse(bytes) : tooLong(limits);
    if ('end' in line) ends.addEnd(line.end);
    else if (!isBlank(bytes)) {
      ends.addLine(contentIdOf(value));
      unknownFields.add(value);
      if ('errors' in line) reject({ number, bytes, ...line });
      else if (bytes) {
        if (!hasRoom(batch, line.externalId, bytes.length)) {
          yield batch;
          batch = emptyBatch();
        }
        batch.lines.push({ number, bytes, item: line });
        batch.ids.add(line.externalId);
        batch.bytes += bytes.length;
      }
    }
    batch.readBytes = readBytes;
  }
  yield batch;
}

function emptyBatch(): Batch {
  return { lines: [], ids: new Set(), bytes: 0, readBytes: 0 };
}

function hasRoom({ lines, bytes, ids }: Batch, externalId: string, size: number): boolean {
  return lines.length < BULK_BATCH_SIZE && bytes + size <= BATCH_BYTES && !ids.has(externalId);
}

function isBlank(bytes: Buffer | undefined): boolean {
  return bytes?.toString('latin1').trim() === '';
}

function tooLong({ BODY_MAX_BYTES }: Limits): ReadLine {
  const errors: ErrorDetail[] = [{ detail: `is longer than ${BODY_MAX_BYTES} bytes, the limit of an upload` }];
  return { value: undefined, line: { externalId: undefined, errors } };
}

function contentIdOf(value: unknown): number | undefined {
  const isItem = typeof value === 'object' && value !== null && 'contentId' in value;
  return isItem && typeof value.contentId === 'number' ? value.contentId : undefined;
}
