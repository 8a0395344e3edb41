import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { linesOf, wrongForm, type Form } from './file-form.ts';

/** The file cannot be read as lines of JSON; the message says why, and what to do. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** `isPacked`: the chunks have other bytes than the file. `head`: how it begins, and `isWhole` whether nothing follows. */
export type OpenedFile = { chunks: AsyncIterable<Buffer>; isPacked: boolean; head: Buffer; isWhole: boolean };

type WrongForm = (head: Buffer, isWhole: boolean) => Form | undefined;

const HEAD_BYTES = 64 * 1_024;
const SHOWN_MAX = 80;
const LINE_FEED = 0x0a;
/** Control characters and the blank. */
const BLANK = 0x20;
const GZIP = Buffer.from('1f8b', 'hex');
const BYTE_ORDER_MARK = Buffer.from('efbbbf', 'hex');

/**
 * Unpacks gzip, and skips a byte order mark. @param name how messages call the file @param wrong tells another form by the head
 * @throws UnreadableFile for another form: without `wrong`, than lines of JSON
 */
export async function openLines(source: AsyncIterable<Buffer>, name: string, wrong: WrongForm = wrongForm): Promise<OpenedFile> {
  const { head, isWhole, chunks } = await readHead(source);
  if (head.subarray(0, GZIP.length).equals(GZIP)) return { ...(await openLines(unpacked(chunks, name), name, wrong)), isPacked: true };
  const hasMark = head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const text = hasMark ? head.subarray(BYTE_ORDER_MARK.length) : head;
  const form = wrong(text, isWhole);
  if (form) {
    const [first = ''] = form.isBinary ? [] : linesOf(text, isWhole);
    const shown = first.length > SHOWN_MAX ? `${first.slice(0, SHOWN_MAX)}…` : first;
    throw new UnreadableFile(`${name} is ${form.name}. ${form.remedy}${shown && ` Its first line is: ${shown}`}`);
  }
  return { chunks: hasMark ? without(chunks, BYTE_ORDER_MARK.length) : chunks, isPacked: false, head: text, isWhole };
}

/** Reads until there are two lines that show something: whoever writes to standard input may be slow. */
async function readHead(source: AsyncIterable<Buffer>): Promise<{ head: Buffer; isWhole: boolean; chunks: AsyncIterable<Buffer> }> {
  const iterator = source[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  let [bytes, lines, isWhole, isBlank] = [0, 0, false, true];
  while (!isWhole && bytes < HEAD_BYTES && lines < 2) {
    const { value, done } = await iterator.next();
    if (done) {
      isWhole = true;
      continue;
    }
    read.push(value);
    bytes += value.length;
    ({ lines, isBlank } = countLines(value.subarray(0, HEAD_BYTES), { lines, isBlank }));
  }
  const head = Buffer.concat(read);
  async function* chunks(): AsyncGenerator<Buffer> {
    yield head;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { head: head.subarray(0, HEAD_BYTES), isWhole: isWhole && bytes <= HEAD_BYTES, chunks: chunks() };
}

type Counted = { lines: number; isBlank: boolean };

/** @param before the lines that show something, and whether the present one shows nothing so far */
function countLines(bytes: Buffer, before: Counted): Counted {
  let { lines, isBlank } = before;
  for (const byte of bytes) {
    if (byte === LINE_FEED && !isBlank) lines += 1;
    isBlank = byte === LINE_FEED || (isBlank && byte <= BLANK);
  }
  return { lines, isBlank };
}

async function* without(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    yield chunk.subarray(left);
    left = 0;
  }
}

async function* unpacked(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  try {
    yield* pipeline(Readable.from(chunks), createGunzip(), () => undefined) as AsyncIterable<Buffer>;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
    const isCut = error.code === 'Z_BUF_ERROR';
    const what = isCut ? 'is cut: its gzip data have no end' : `cannot be unpacked with gzip: ${error.message}`;
    throw new UnreadableFile(`${name} ${what}. What it has up to there is stored. Import the complete file.`);
  }
}
