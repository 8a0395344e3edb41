import { UnreadableFile } from '../files/open-lines.ts';

/** An element of a list, from line 1 on. `bytes` is undefined if it has more than the limit; it is not read whole then. */
export type Element = { line: number; bytes: Buffer | undefined; readBytes: number };

const [QUOTE, BACKSLASH, LINE_FEED, COMMA, COLON] = [0x22, 0x5c, 0x0a, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const BLANK = 0x20;
const KEY_MAX_BYTES = 1_000;
const LISTS_SHOWN_MAX = 10;
const DEPTH_MAX = 500;

/** `list`: the names that lead to it within objects; undefined for the first list of objects. */
export type ElementOptions = { list: string[] | undefined; limitBytes: number; name: string };

/**
 * Reads a JSON list element by element, by its brackets and texts only: an element that is not valid JSON is one error. Memory:
 * one element and one chunk of the source.
 * Objects after each other, such as pages of an API, have one list each.
 * Throws UnreadableFile if an object has no such list, or two, or if it has no end.
 * @returns `found`: the names that lead to the list, with dots; empty for the file itself
 */
export function jsonElements(
  source: AsyncIterable<Buffer>,
  options: ElementOptions,
): { elements: AsyncIterable<Element>; found: () => string | undefined } {
  const reader = new ListReader(options);
  async function* elements(): AsyncGenerator<Element> {
    for await (const chunk of source) yield* reader.read(chunk);
    reader.end();
  }
  return { elements: elements(), found: () => reader.found };
}

type Frame = { key: string | undefined; isList: boolean };

class ListReader {
  readonly #options: ElementOptions;
  readonly #frames: Frame[] = [];
  readonly #lists = new Set<string>();
  /** Before the list, in it, and behind it. */
  #place: 'before' | 'in' | 'after' = 'before';
  /** That of the options, or the one that was found: further objects have it too. */
  #list: string[] | undefined;
  #found: string | undefined;
  #line = 1;
  /** The line of the object around the list. */
  #begins = 1;
  #readBytes = 0;
  #isText = false;
  #isEscaped = false;
  #text: number[] = [];
  #depth = 0;
  #element: { line: number; parts: Buffer[]; bytes: number } | undefined;
  #from = 0;

  constructor(options: ElementOptions) {
    this.#options = options;
    this.#list = options.list;
  }

  get found(): string | undefined {
    return this.#found;
  }

  *read(chunk: Buffer): Generator<Element> {
    this.#from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === LINE_FEED) this.#line += 1;
      if (this.#place === 'in') yield* this.#inList(byte, chunk, at);
      else if (this.#place === 'after' && this.#frames.length === 0) this.#behind(byte);
      else this.#around(byte, at);
    }
    this.#readBytes += chunk.length;
    if (this.#element) this.#add(chunk.subarray(this.#from));
  }

  /** @throws UnreadableFile if the list or what it is in has no end */
  end(): void {
    const { name } = this.#options;
    if (this.#place === 'in') {
      const where = this.#element ? `within the element that begins in line ${this.#element.line}` : 'before the end of its list';
      throw new UnreadableFile(`${name} is cut: it ends ${where}. What it has up to there is stored. Import the complete file.`);
    }
    if (this.#frames.length > 0) {
      const where = `within what begins in line ${this.#begins}, ${this.#place} its list`;
      throw new UnreadableFile(`${name} is cut: it ends ${where}. What it has up to there is stored. Import the complete file.`);
    }
    if (this.#place === 'before') throw this.#noList();
  }

  #noList(): UnreadableFile {
    const list = this.#list;
    const lists = [...this.#lists].map((path) => `"list": "${path}"`).join(', ');
    const wanted = list ? `has no list ${list.join('.') || 'as its first value'}` : 'has no list of objects';
    const where = this.#found === undefined ? '' : ` in the object that begins in line ${this.#begins}; what it has up to there is stored`;
    return new UnreadableFile(
      `${this.#options.name} ${wanted}${where}. ${lists ? `A map can name one of its lists: ${lists}.` : 'It must be a JSON array of objects.'}`,
    );
  }

  /** Looks for the list in what is around it, and for the end of that. */
  #around(byte: number, at: number): void {
    const top = this.#frames.at(-1);
    if (this.#isText) this.#inText(byte);
    else if (byte === QUOTE) [this.#isText, this.#text] = [true, []];
    else if (byte === COLON && top) top.key = keyOf(this.#text);
    else if (byte === OPEN_OBJECT) this.#openObject(at);
    else if (byte === OPEN_LIST) this.#openList();
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#closeFrame(byte === CLOSE_LIST);
  }

  #push(isList: boolean): void {
    if (this.#frames.length === 0) this.#begins = this.#line;
    if (this.#frames.push({ key: undefined, isList }) > DEPTH_MAX)
      throw new UnreadableFile(
        `${this.#options.name} has more than ${DEPTH_MAX} objects or lists within each other in line ${this.#line}.`,
      );
  }

  #closeFrame(isList: boolean): void {
    if (this.#frames.pop()?.isList !== isList)
      throw new UnreadableFile(`${this.#options.name} is not valid JSON: line ${this.#line} has a ${isList ? ']' : '}'} too many.`);
    if (this.#frames.length === 0 && this.#place === 'before') throw this.#noList();
  }

  #openObject(at: number): void {
    const isInList = this.#frames.at(-1)?.isList === true && this.#frames.filter(({ isList }) => isList).length === 1;
    if (this.#list || !isInList) return this.#push(false);
    this.#frames.pop();
    this.#enter();
    this.#begin(OPEN_OBJECT, at);
  }

  #enter(): void {
    const path = this.#path();
    [this.#place, this.#list, this.#found] = ['in', path, path.join('.')];
  }

  #path(): string[] {
    return this.#frames.map(({ key = '' }) => key);
  }

  #openList(): void {
    const path = this.#path();
    const isWithinList = this.#frames.some(({ isList }) => isList);
    if (!isWithinList && this.#lists.size < LISTS_SHOWN_MAX && path.length > 0) this.#lists.add(path.join('.'));
    if (isWithinList || this.#list?.join('.') !== path.join('.')) this.#push(true);
    else if (this.#place === 'before') this.#enter();
    else throw new UnreadableFile(`${this.#options.name} has a second list ${path.join('.')} in one object, in line ${this.#line}. What it has up to there is stored.`); // prettier-ignore
  }

  #inText(byte: number): void {
    this.#skipText(byte);
    if (this.#isText && this.#text.length < KEY_MAX_BYTES) this.#text.push(byte);
  }

  #skipText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isText = false;
  }

  *#inList(byte: number, chunk: Buffer, at: number): Generator<Element> {
    if (!this.#element) this.#between(byte, at);
    else if (this.#isText) this.#skipText(byte);
    else if (byte === QUOTE) this.#isText = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth += 1;
    else if (byte === COMMA && this.#depth === 0) yield this.#take(chunk, at);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) yield* this.#close(chunk, at);
  }

  #between(byte: number, at: number): void {
    if (byte === CLOSE_LIST) this.#place = 'after';
    else if (byte > BLANK && byte !== COMMA) this.#begin(byte, at);
  }

  /** A bracket ends the element that it belongs to, and the list otherwise. */
  *#close(chunk: Buffer, at: number): Generator<Element> {
    this.#depth -= 1;
    if (this.#depth === 0) yield this.#take(chunk, at + 1);
    else if (this.#depth < 0) {
      this.#place = 'after';
      yield this.#take(chunk, at);
    }
  }

  #begin(byte: number, at: number): void {
    this.#element = { line: this.#line, parts: [], bytes: 0 };
    this.#from = at;
    this.#depth = byte === OPEN_OBJECT || byte === OPEN_LIST ? 1 : 0;
    this.#isText = byte === QUOTE;
  }

  #take(chunk: Buffer, end: number): Element {
    this.#add(chunk.subarray(this.#from, end));
    const { line = 0, parts = [], bytes = 0 } = this.#element ?? {};
    [this.#element, this.#depth] = [undefined, 0];
    const isTooLong = bytes > this.#options.limitBytes;
    return { line, bytes: isTooLong ? undefined : Buffer.concat(parts), readBytes: this.#readBytes + end };
  }

  #add(part: Buffer): void {
    if (!this.#element) return;
    this.#element.bytes += part.length;
    if (this.#element.bytes > this.#options.limitBytes) this.#element.parts = [];
    else this.#element.parts.push(part);
    this.#from = 0;
  }

  /** Pages of an API that were appended to each other are lists, or objects with a list each, after each other. */
  #behind(byte: number): void {
    if (byte <= BLANK) return;
    const isInObject = this.#found !== '';
    if (byte === OPEN_LIST && !isInObject) this.#place = 'in';
    else if (byte === OPEN_OBJECT && isInObject) {
      this.#place = 'before';
      this.#push(false);
    } else
      throw new UnreadableFile(
        `${this.#options.name} has something after its ${isInObject ? 'object' : 'list'}, in line ${this.#line}. What it has up to there is stored.`,
      );
  }
}

function keyOf(text: number[]): string {
  const json = `"${Buffer.from(text).toString()}"`;
  try {
    return JSON.parse(json) as string;
  } catch {
    return json;
  }
}
