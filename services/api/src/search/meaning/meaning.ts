import { EmbeddingFailed, type EmbeddingService } from '@ugc/shared/embeddings/embedding-service';
import { findSearchedGeneration, type Generation } from '@ugc/shared/embeddings/generations';
import { cosine } from '@ugc/shared/embeddings/vectors';
import type { Log } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/postgres/postgres';
import { Breaker, BreakerOpen } from '@ugc/shared/timing/breaker';
import { unlessAborted } from '@ugc/shared/timing/timeouts';
import { Shares } from '../../limits/shares.ts';
import { correctionsOf } from '@ugc/text/prompt/alternatives';
import { withoutExcluded } from '@ugc/text/prompt/exclusions';
import { replaceWords } from '@ugc/text/prompt/replace-words';
import type { Interpretation } from '../prompt/interpret-prompt.ts';
import { LRUCache } from 'lru-cache';
import { Counter, Histogram, type Registry } from 'prom-client';

const BREAKER = { failures: 3, openMs: 10_000 };
/** So many connections of the pool serve lists, of a small pool a quarter. */
const MAX_CONNECTIONS = 4;
/** The part of EMBEDDINGS_TIMEOUT_MS for the vectors of the items. */
const VECTORS_TIMEOUT_PART = 1 / 6;
const VECTORS_MIN_TIMEOUT_MS = 50;
const GENERATION_KEPT_MS = 2_000;
/** So long after other lengths were seen, the length of the items is asked of the service. */
const LENGTH_KEPT_MS = 60_000;

type MeaningDeps = {
  database: Database;
  service: EmbeddingService;
  poolSize: number;
  timeoutMs: number;
  log: Log;
  metrics: RankingMetrics;
};

/** `timeoutMs` is at most that of the deps: after a shorter time, a failure says little of the service. */
type Prompt = { signal: AbortSignal; timeoutMs: number; user: number };

/** The vector of a prompt, and the model that made it. */
export type PromptVector = { vector: Float32Array; generation: number };

/** Compares prompts with items by their vectors. Its failures make no list fail or wait for long. */
export class Meaning {
  readonly metrics: RankingMetrics;
  readonly #deps: MeaningDeps;
  readonly #service: Breaker;
  readonly #database: Breaker;
  readonly #connections: Shares;
  #generation: Generation | undefined;
  /** The length of the vectors of the items, while those of the service have another one. */
  readonly #lengths = new LRUCache<number, number>({ max: 1, ttl: LENGTH_KEPT_MS });
  #askedAtMs = -Infinity;

  constructor(deps: MeaningDeps) {
    this.#deps = deps;
    this.metrics = deps.metrics;
    const connections = Math.max(1, Math.min(MAX_CONNECTIONS, Math.floor(deps.poolSize / 4)));
    this.#connections = new Shares({ user: connections, process: connections });
    const reporting = (what: string) => (isOpen: boolean, err?: unknown) => {
      if (isOpen) deps.log.warn({ err }, `lists are ranked by words: ${what} failed`);
      else deps.log.info(`${what} succeeds again`);
    };
    this.#service = new Breaker({ ...BREAKER, onChange: reporting('embedding a prompt') });
    this.#database = new Breaker({ ...BREAKER, onChange: reporting('reading vectors from PostgreSQL') });
    this.#searched();
  }

  /** How long a list waits for the vector of its prompt. */
  get timeoutMs(): number {
    return this.#deps.timeoutMs;
  }

  /** @returns undefined if a list cannot be ranked by meaning now */
  embedPrompt(text: string, prompt: Prompt): Promise<PromptVector | undefined> | undefined {
    const searched = this.#searched();
    if (!searched || this.#service.isOpen(prompt.user) || this.#database.isOpen()) return undefined;
    return this.#embed(text, searched, prompt).catch((error: unknown) => {
      if (!(error instanceof BreakerOpen)) this.metrics.failures.inc({ kind: 'prompt' });
      return undefined;
    });
  }

  /** @returns the cosines by id, or undefined if there are none in time */
  async compare(contentIds: number[], { vector, generation }: PromptVector): Promise<Map<number, number> | undefined> {
    try {
      const rows = await this.#database.run(() => this.#readVectors(contentIds, generation));
      const cosines = rows.flatMap((row): [number, number][] => {
        const similarity = cosine(vector, row.vector);
        return similarity === undefined ? [] : [[row.contentId, similarity]];
      });
      if (rows[0] && cosines.length === 0) this.#lengths.set(generation, rows[0].vector.length);
      return cosines.length > 0 ? new Map(cosines) : undefined;
    } catch (error) {
      if (!(error instanceof BreakerOpen)) this.metrics.failures.inc({ kind: 'items' });
      return undefined;
    }
  }

  async #embed(text: string, searched: Generation, { signal, timeoutMs, user }: Prompt): Promise<PromptVector | undefined> {
    const { service, metrics } = this.#deps;
    const prompt = `${searched.queryPrefix}${text}`;
    const end = metrics.promptDuration.startTimer();
    const length = this.#lengths.get(searched.generation);
    const embed = async () => {
      const [embedded] = await service.embed([prompt], searched, { timeoutMs, signal });
      if (length === undefined || embedded?.length === length) return embedded;
      throw new EmbeddingFailed(`the embedding service returned ${embedded?.length} numbers, and vectors of items have ${length}`);
    };
    // A prompt that the service refuses says nothing about others, and a client that leaves nothing about the service.
    const isFailure = (error: unknown): boolean =>
      timeoutMs >= this.timeoutMs && !signal.aborted && !(error instanceof EmbeddingFailed && error.isRefusal);
    const vector = await this.#service.run(embed, { isFailure, user });
    end();
    return vector && { vector, generation: searched.generation };
  }

  async #readVectors(contentIds: number[], generation: number): Promise<Vector[]> {
    const { database, timeoutMs } = this.#deps;
    return atDeadline(Math.max(VECTORS_MIN_TIMEOUT_MS, timeoutMs * VECTORS_TIMEOUT_PART), async (signal) => {
      const connection = this.#connections.open(0);
      await connection.wait(1, signal);
      // A connection that does not respond stays taken until the statement times out.
      const reading = database.query<Vector>(READ_VECTORS, [contentIds, generation]).finally(() => connection.release());
      return unlessAborted(signal, reading);
    });
  }

  /** Asked in the background, so that no list waits for it. */
  #searched(): Generation | undefined {
    if (performance.now() - this.#askedAtMs > GENERATION_KEPT_MS) {
      this.#askedAtMs = performance.now();
      findSearchedGeneration(this.#deps.database).then(
        (found) => (this.#generation = found),
        () => undefined,
      );
    }
    return this.#generation;
  }
}

type Vector = { contentId: number; vector: Uint8Array };

const READ_VECTORS = {
  name: 'read-vectors',
  text: `select content_id, vector from embedding where content_id = any($1::bigint[]) and generation = $2 and vector is not null`,
};

/** @throws an error at the deadline · errors of `work` */
async function atDeadline<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

type RankingMetrics = ReturnType<typeof createRankingMetrics>;

export function createRankingMetrics(registry: Registry) {
  const lists = new Counter({
    name: 'ugc_search_rankings_total',
    help: 'Lists that can be ranked by meaning, by how they were ranked: semantic or lexical',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of ['semantic', 'lexical']) lists.inc({ result }, 0);
  const failures = new Counter({
    name: 'ugc_search_ranking_failures_total',
    help: 'Lists that were ranked by words because a vector was not available in time: that of the prompt, or those of the items',
    labelNames: ['kind'],
    registers: [registry],
  });
  for (const kind of ['prompt', 'items']) failures.inc({ kind }, 0);
  const promptDuration = new Histogram({
    name: 'ugc_search_prompt_embedding_seconds',
    help: 'Duration of the embedding of a prompt',
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    registers: [registry],
  });
  return { lists, failures, promptDuration };
}

/**
 * The vectors of the prompt in one list, which may be interpreted several times. Each text is embedded once, and none after
 * a failure; all together take no longer than one may.
 */
export class PromptVectors {
  readonly #meaning: Meaning;
  readonly #user: number;
  readonly #vectors = new Map<string, Promise<PromptVector | undefined>>();
  #leftMs: number;

  constructor(meaning: Meaning, user: number) {
    this.#meaning = meaning;
    this.#user = user;
    this.#leftMs = meaning.timeoutMs;
  }

  /** @returns undefined if a list cannot be ranked by meaning now */
  embed(text: string, signal: AbortSignal): Promise<PromptVector | undefined> | undefined {
    if (this.#leftMs <= 0) return undefined;
    const vector = this.#vectors.get(text) ?? this.#ask(text, signal);
    if (vector) this.#vectors.set(text, vector);
    return vector;
  }

  #ask(text: string, signal: AbortSignal): Promise<PromptVector | undefined> | undefined {
    const beganAtMs = performance.now();
    const timeoutMs = Math.ceil(this.#leftMs);
    return this.#meaning.embedPrompt(text, { signal, timeoutMs, user: this.#user })?.then((vector) => {
      this.#leftMs = vector ? this.#leftMs - (performance.now() - beganAtMs) : 0;
      return vector;
    });
  }
}

/** The unit is a UTF-16 code unit. A longer prompt would take the service long, and its first words say what is meant. */
const MAX_LENGTH = 500;

/**
 * The prompt as it is embedded: with its corrections, and without what it excludes. Otherwise it stays as it is written,
 * because models distinguish more than the index does.
 * @returns an empty text if the prompt has only exclusions
 */
export function promptText({ text, alternatives, rules }: Interpretation): string {
  return replaceWords(withoutExcluded(text), rules, correctionsOf(alternatives))
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH)
    .toWellFormed();
}
