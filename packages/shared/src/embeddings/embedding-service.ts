import { limitMarks } from '@ugc/text/words/normalized';
import { readJsonText, TooMuchJson } from '../process/json-values.ts';
import { MAX_DIMENSIONS, type EmbeddingsEnv } from './embeddings-env.ts';

/** What determines a vector besides the text. */
export type Model = { model: string; dimensions: number | null };

type FailureOptions = ErrorOptions & { status?: number; retryAfterMs?: number | undefined; code?: string | undefined };

/**
 * The service does not respond, refuses the request, or returns no valid vectors. The message has nothing of the response
 * but its status, because services quote prompts and keys.
 */
export class EmbeddingFailed extends Error {
  override readonly name = 'EmbeddingFailed';
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** The error code of the service, such as `model_not_found`. */
  readonly errorCode: string | undefined;

  constructor(message: string, { status, retryAfterMs, code, ...options }: FailureOptions = {}) {
    super(message, options);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.errorCode = code;
  }

  /** Whether the service refuses the request, perhaps because of a text. */
  get isRefusal(): boolean {
    return this.status !== undefined && REFUSALS.includes(this.status) && !this.mustWait;
  }

  /** Whether the service wants fewer requests, whatever the text. */
  get mustWait(): boolean {
    return this.status === TOO_MANY_REQUESTS || this.retryAfterMs !== undefined;
  }

  /** Whether the response is complete, and contains no valid vectors. */
  get isInvalid(): boolean {
    return this.status === OK;
  }
}

const OK = 200;
const REFUSALS = [400, 413, 422];
const TOO_MANY_REQUESTS = 429;
/**
 * What a response may have besides the vectors, and what each vector may have: a number takes about 22 bytes. A response of
 * 32 vectors takes up to 15 ms to parse, but 50 ms if its values had names.
 */
const PART_MAX = { bytes: 128 * 1_024, values: MAX_DIMENSIONS + 64, strings: 64 };
/** No text: services quote what was sent. */
const ERROR_CODE = /^[a-z][a-z_]{0,63}$/;
const MAX_RETRY_AFTER_SECONDS = 300;

type Request = { timeoutMs: number; signal?: AbortSignal | undefined };

export type EmbeddingService = { embed(texts: string[], model: Model, request: Request): Promise<Float32Array[]> };

type ServiceEnv = Pick<EmbeddingsEnv, 'EMBEDDINGS_URL' | 'EMBEDDINGS_API_KEY'>;

/** @returns undefined without a URL */
export function connectEmbeddingService({ EMBEDDINGS_URL: url, EMBEDDINGS_API_KEY: key }: ServiceEnv): EmbeddingService | undefined {
  if (url === undefined) return undefined;
  const headers = { 'Content-Type': 'application/json', ...(key !== undefined && { Authorization: `Bearer ${key}` }) };
  return {
    embed: async (texts, { model, dimensions }, request) => {
      // Tokenizers normalize what they get.
      const input = texts.map(limitMarks);
      const body = JSON.stringify({ model, input, ...(dimensions !== null && { dimensions }) });
      const received = await post(url, { headers, body }, { ...request, parts: input.length + 1 });
      return parseVectors(received, { count: input.length, dimensions });
    },
  };
}

type Post = Request & { parts: number };

/** `AbortSignal.timeout` would leave a timer for each list. @throws EmbeddingFailed */
async function post(
  url: string,
  init: { headers: Record<string, string>; body: string },
  { timeoutMs, signal, parts }: Post,
): Promise<string> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const limits = { bytes: parts * PART_MAX.bytes, values: parts * PART_MAX.values, strings: parts * PART_MAX.strings };
  const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  try {
    const response = await fetch(url, { method: 'POST', redirect: 'error', signal: either, ...init });
    if (!response.ok) throw refusalOf(response, await readJsonText(response, limits).catch(() => ''));
    return await readJsonText(response, limits);
  } catch (cause) {
    if (cause instanceof EmbeddingFailed) throw cause;
    if (cause instanceof TooMuchJson) throw invalid(cause.message);
    const what = late.signal.aborted ? `did not respond within ${timeoutMs} ms` : 'is not reachable';
    throw new EmbeddingFailed(`the embedding service ${what}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

function refusalOf({ status, headers }: Response, text: string): EmbeddingFailed {
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'));
  return new EmbeddingFailed(`the embedding service responded with ${status}`, { status, retryAfterMs, code: parseCode(text) });
}

/** @param value seconds or a date · @returns undefined without a value */
function parseRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Math.min(Math.max(seconds || 0, 0), MAX_RETRY_AFTER_SECONDS) * 1_000;
}

function parseCode(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; type?: unknown } };
    return [error?.code, error?.type].find((code) => typeof code === 'string' && ERROR_CODE.test(code)) as string | undefined;
  } catch {
    return undefined;
  }
}

type Expected = { count: number; dimensions: number | null };
type Entry = { index?: unknown; embedding?: unknown } | null;
type Embedded = { data?: Entry[] } | null;

/** @throws EmbeddingFailed unless there is one vector of the same length for each text */
function parseVectors(text: string, { count, dimensions }: Expected): Float32Array[] {
  const data = parseData(text);
  if (data.length !== count) throw invalid(`it contains ${data.length} vectors instead of ${count}`);
  const vectors: Float32Array[] = [];
  for (const [position, entry] of data.entries()) {
    const { index, embedding }: NonNullable<Entry> = entry ?? {};
    vectors[typeof index === 'number' ? index : position] = toVector(embedding);
  }
  const length = dimensions ?? vectors[0]?.length ?? 0;
  const isComplete = Array.from({ length: count }, (_, n) => vectors[n]).every((vector) => vector?.length === length);
  if (!isComplete || vectors.length !== count) throw invalid(`its vectors do not all have ${length} numbers`);
  return vectors;
}

function parseData(text: string): Entry[] {
  try {
    const { data } = (JSON.parse(text) as Embedded) ?? {};
    if (Array.isArray(data)) return data;
  } catch {
    // Handled below.
  }
  throw invalid('it is not that of /v1/embeddings');
}

/** @returns a vector of length 1 */
function toVector(embedding: unknown): Float32Array {
  const numbers = typeof embedding === 'string' ? fromBase64(embedding) : embedding;
  if (!isNumbers(numbers)) throw invalid('a vector is not a list of numbers');
  const vector = Float32Array.from(numbers);
  const norm = Math.hypot(...vector);
  if (!(norm > 0 && norm < Infinity)) throw invalid('a vector has no direction');
  return vector.map((value) => value / norm);
}

function fromBase64(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.byteLength / 4));
}

function isNumbers(value: unknown): value is ArrayLike<number> {
  if (!Array.isArray(value) && !(value instanceof Float32Array)) return false;
  return value.length > 0 && value.length <= MAX_DIMENSIONS && value.every((number) => typeof number === 'number');
}

function invalid(why: string): EmbeddingFailed {
  return new EmbeddingFailed(`the response of the embedding service is not valid: ${why}`, { status: OK });
}
