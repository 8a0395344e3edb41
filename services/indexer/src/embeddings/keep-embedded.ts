import { Counter, type Registry } from 'prom-client';
import { EmbeddingFailed, type EmbeddingService } from '@ugc/shared/embeddings/embedding-service';
import { openGeneration, useGeneration, type Generation } from '@ugc/shared/embeddings/generations';
import { ClaimBound } from '@ugc/shared/outbox/claim-bound';
import type { Log } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/postgres/postgres';
import { repeat, type Repetition } from '@ugc/shared/timing/repeat';
import { throttle } from '@ugc/shared/timing/intervals';
import type { IndexerEnv } from '../env.ts';
import { claimWork, releaseWork, type Work } from './claim-work.ts';
import { embedTexts, type Outcome } from './embed-texts.ts';
import { storeVectors } from './store-vectors.ts';
import { removePrevious, walk } from './walk.ts';

const BATCH = 32;
/** So many bytes of text in one request, or a single text. */
const REQUEST_BYTES = 32_768;
const POLL_EVERY_MS = 500;
/** A walk, which reads every item each hour, must not take PostgreSQL from uploads. */
const WALK_PAUSE_MS = 200;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
const TEXT_PAUSE_MS = 10_000;
const LOG_EVERY_MS = 60_000;
const USE_EVERY_MS = 10_000;
/** What has not been sent by then is claimed anew, so that work of other creators gets its turn. */
const CLAIM_KEPT_MS = 1_000;

type EmbedderDeps = { database: Database; service: EmbeddingService; env: IndexerEnv; log: Log; metrics: EmbeddingMetrics };

/** Embeds the items whose texts have changed, and those that a walk finds without a vector. Delays nothing else. */
export function keepEmbedded(deps: EmbedderDeps): Pick<Repetition, 'stop'> {
  const stopping = new AbortController();
  const report = throttle(LOG_EVERY_MS, (err: unknown) => {
    const errorCode = err instanceof EmbeddingFailed ? err.errorCode : undefined;
    deps.log.warn({ err, errorCode }, 'items could not be embedded; they are retried');
  });
  const embedder = new Embedder({ ...deps, report, signal: stopping.signal });
  return repeat(() => embedder.pass(), { everyMs: MIN_PAUSE_MS, onError: report, stopping });
}

type Running = { report: (error: unknown) => void; signal: AbortSignal };

class Embedder {
  readonly #deps: EmbedderDeps & Running;
  #generation: Generation | undefined;
  /** One text may make every request with it fail, so the request after a failure has one text. */
  readonly #bound = new ClaimBound({ table: 'embedding_work', claimable: 'true' });
  #batch = BATCH;
  #pauseMs = 0;
  #usedAtMs = -Infinity;

  constructor(deps: EmbedderDeps & Running) {
    this.#deps = deps;
  }

  /** @returns the milliseconds until the next pass */
  async pass(): Promise<number> {
    const { database } = this.#deps;
    const opened = await this.#open();
    const work = await this.#claim(opened.generation);
    if (work) return this.#embedAll(work, opened);
    const goesOn = (await walk(database, opened.generation)) || (await removePrevious(database));
    return goesOn ? WALK_PAUSE_MS : POLL_EVERY_MS;
  }

  async #claim(generation: number): Promise<Work[] | undefined> {
    try {
      await this.#bound.advance(this.#deps.database);
      return await claimWork(this.#deps.database, generation, this.#batch, this.#bound.after);
    } catch (error) {
      this.#bound.reset();
      throw error;
    }
  }

  /** Opens the generation again if another model was given up that had replaced it. */
  async #open(): Promise<Generation> {
    const { database, env } = this.#deps;
    if (this.#generation && performance.now() - this.#usedAtMs > USE_EVERY_MS) {
      this.#usedAtMs = performance.now();
      if (await useGeneration(database, this.#generation.generation)) this.#generation = undefined;
    }
    return (this.#generation ??= await openGeneration(database, env));
  }

  async #embedAll(work: Work[], opened: Generation): Promise<number> {
    const requests = inRequests(work);
    const claimedAtMs = performance.now();
    for (const [at, request] of requests.entries()) {
      if (performance.now() - claimedAtMs > CLAIM_KEPT_MS) {
        await releaseWork(this.#deps.database, idsOf(requests.slice(at).flat()));
        return 0;
      }
      const error = await this.#embed(request, opened);
      if (error) return this.#pause(requests.slice(at), error);
    }
    this.#batch = Math.min(this.#batch * 2, BATCH);
    this.#pauseMs = 0;
    return 0;
  }

  /** @returns the failure of the service */
  async #embed(work: Work[], generation: Generation): Promise<EmbeddingFailed | undefined> {
    const { database, service, signal } = this.#deps;
    try {
      const outcomes = await embedTexts({ service, generation, signal }, work);
      await storeVectors(
        database,
        generation.generation,
        outcomes.filter((one) => !('failed' in one)),
      );
      for (const one of outcomes) await this.#count(one);
      return undefined;
    } catch (error) {
      if (error instanceof EmbeddingFailed) return error;
      throw error;
    }
  }

  async #count(outcome: Outcome): Promise<void> {
    const { database, metrics, report } = this.#deps;
    if (!('failed' in outcome)) return metrics.texts.inc({ result: 'vector' in outcome ? 'embedded' : 'refused' });
    const { work, failed } = outcome;
    metrics.texts.inc({ result: 'failed' });
    report(new EmbeddingFailed(`item ${work.contentId}: ${failed}`));
    await releaseWork(database, [work.contentId], { delayMs: TEXT_PAUSE_MS * 2 ** work.attempts, attempts: 1 });
  }

  async #pause(requests: Work[][], error: EmbeddingFailed): Promise<number> {
    const { database, metrics, report, signal } = this.#deps;
    await releaseWork(database, idsOf(requests.flat()));
    if (signal.aborted) return 0;
    metrics.texts.inc({ result: 'failed' }, requests[0]?.length);
    report(error);
    this.#batch = 1;
    this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, MIN_PAUSE_MS), MAX_PAUSE_MS);
    return Math.max(this.#pauseMs, error.retryAfterMs ?? 0);
  }
}

function idsOf(work: Work[]): number[] {
  return work.map(({ contentId }) => contentId);
}

function inRequests(work: Work[]): Work[][] {
  const requests: Work[][] = [];
  let bytes = Infinity;
  for (const one of work) {
    bytes += Buffer.byteLength(one.text);
    if (bytes > REQUEST_BYTES) {
      requests.push([]);
      bytes = Buffer.byteLength(one.text);
    }
    requests.at(-1)?.push(one);
  }
  return requests;
}

type EmbeddingMetrics = ReturnType<typeof createEmbeddingMetrics>;

export function createEmbeddingMetrics(registry: Registry) {
  const texts = new Counter({
    name: 'ugc_embedding_texts_total',
    help: 'Texts of items, by what the embedding service did: embedded, refused, or failed, after which they are retried',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of ['embedded', 'refused', 'failed']) texts.inc({ result }, 0);
  return { texts };
}
