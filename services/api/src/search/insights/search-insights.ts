import { errorMessage } from '@ugc/shared/process/error-message';
import type { Log } from '@ugc/shared/process/log';
import { isBlank } from '@ugc/text/words/is-blank';
import { repeat, type Repetition } from '@ugc/shared/timing/repeat';
import { throttle } from '@ugc/shared/timing/intervals';
import { Counter, type Registry } from 'prom-client';
import { hasFilters } from '../filters.ts';
import type { ListResponse } from '../list.ts';
import type { ListParameters } from '../parameters.ts';
import { normalizePrompt, PromptCounts, TYPING_MS, type Search } from './prompt-counts.ts';
import { storeSearches, type InsightStores } from './store-searches.ts';

type Result = 'counted' | 'omitted' | 'failed';
type InsightMetrics = { searchInsights: Counter<'result'> };
type InsightDeps = InsightStores & { log: Log; metrics: InsightMetrics };

/** The user and the time of a list, and its response. */
type Listed = Pick<Search, 'user' | 'begunAtMs'> & Pick<ListResponse, 'isEmpty' | 'correction'>;

const STORE_EVERY_MS = 5_000;
const WARN_EVERY_MS = 60_000;
const RESULTS: Result[] = ['counted', 'omitted', 'failed'];

export function createInsightMetrics(registry: Registry): Counter<'result'> {
  const searches = new Counter({
    name: 'ugc_search_insights_total',
    help: 'Searches that found nothing or were corrected, by result: counted, omitted beyond a limit, or failed to be stored; all 0 without SEARCH_INSIGHTS',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of RESULTS) searches.inc({ result }, 0);
  return searches;
}

/**
 * Counts what users search for and do not find. Requests only add to a list in memory; a batch of it is stored every few
 * seconds, or dropped if a store does not respond.
 */
export class SearchInsights {
  readonly #deps: InsightDeps;
  readonly #counts = new PromptCounts(() => this.#report('omitted', 1));
  readonly #warn: (error: unknown) => void;
  #repetition: Repetition | undefined;

  constructor(deps: InsightDeps) {
    this.#deps = deps;
    // The message of an error contains no prompt; its details may.
    this.#warn = throttle(WARN_EVERY_MS, (error) => deps.log.warn({ reason: errorMessage(error) }, 'searches could not be counted'));
  }

  start(): void {
    const pass = (): Promise<void> => this.#store(this.#counts.take(performance.now() - TYPING_MS));
    this.#repetition = repeat(pass, { everyMs: STORE_EVERY_MS, onError: this.#warn });
  }

  async stop(): Promise<void> {
    await this.#repetition?.stop();
    await this.#store(this.#counts.take());
  }

  record(parameters: ListParameters, { user, begunAtMs, isEmpty, correction }: Listed): void {
    if (!isCounted(parameters)) return;
    const prompt = normalizePrompt(parameters.prompt);
    if (prompt === '') return;
    this.#counts.add({ user, prompt, isEmpty, correction: isEmpty ? undefined : describe(correction), begunAtMs });
  }

  async #store(searches: Search[]): Promise<void> {
    if (searches.length === 0) return;
    try {
      await storeSearches(this.#deps, searches);
      this.#report('counted', searches.length);
    } catch (error) {
      this.#report('failed', searches.length);
      this.#warn(error);
    }
  }

  #report(result: Result, searches: number): void {
    this.#deps.metrics.searchInsights.inc({ result }, searches);
  }
}

/**
 * What says something about the prompt. A filter may be the reason why nothing is found. With `size=1`, clients such as the
 * web page count what another search would find.
 */
function isCounted(parameters: ListParameters): boolean {
  const { prompt, page, size } = parameters;
  return page === 0 && size > 1 && !isBlank(prompt) && !hasFilters(parameters);
}

/** @param correction the value of the header Search-Correction */
function describe(correction: string | undefined): string | undefined {
  return correction === undefined ? undefined : [...new URLSearchParams(correction).values()].join(', ');
}
