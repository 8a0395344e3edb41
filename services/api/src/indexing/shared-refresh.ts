import { refreshIndex } from '@ugc/shared/indices/searched-index';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { storeTimeout } from '@ugc/shared/timing/timeouts';
import type { Redis } from 'ioredis';

type RefreshDeps = { elasticsearch: Pick<Elasticsearch, 'indices'>; redis: Redis; alias: string; queuePrefix: string };

const REFRESH_TIMEOUT_MS = storeTimeout(2_800);
/** Longer than a refresh can take. */
const TURN_MAX_MS = storeTimeout(3_500);
/** After a refresh none begins for four times its duration, so that refreshes take at most a fifth of the time. */
const PAUSE_PER_DURATION = 4;
const PAUSE_MIN_MS = 100;

/** KEYS: turn, calls, completed. @returns the number of the call, whether it has the turn, the last completed refresh */
const CALL = `
local call = redis.call('incr', KEYS[2])
local turn = redis.call('set', KEYS[1], call, 'nx', 'px', ARGV[1])
return { call, turn and 1 or 0, tonumber(redis.call('get', KEYS[3]) or '0') }`;

/** Without the turn, for example after a loss of Redis, the number of the call could be older than it looks. */
const COMPLETE = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return end
redis.call('pexpire', KEYS[1], ARGV[2])
redis.call('set', KEYS[3], ARGV[1])`;

/** What was indexed before a call is searchable if the number of the call is at most `shownUpTo`. */
type Shown = { call: number; shownUpTo: number };

/**
 * Refreshes of the searched index on demand: one at a time in all API processes together, and in a saturated cluster,
 * where a refresh takes long, so few that the periodic refresh is earlier. A refresh serves every call that began
 * before it, in every process. A refresh that fails keeps its turn: the next one begins TURN_MAX_MS after it.
 */
export class SharedRefresh {
  readonly #deps: RefreshDeps;
  readonly #keys: string[];

  constructor(deps: RefreshDeps) {
    this.#deps = deps;
    this.#keys = ['turn', 'calls', 'completed'].map((name) => `${deps.queuePrefix}:refresh:${deps.alias}:${name}`);
  }

  /** Refreshes the index if it is this call's turn. @throws if the refresh fails */
  async call(): Promise<Shown> {
    const { call, hasTurn, completed } = await this.#takeTurn();
    if (!hasTurn) return { call, shownUpTo: completed };
    const startedAt = performance.now();
    await refreshIndex(this.#deps.elasticsearch, this.#deps.alias, { requestTimeout: REFRESH_TIMEOUT_MS });
    await this.#complete(call, performance.now() - startedAt);
    return { call, shownUpTo: Infinity };
  }

  async #takeTurn(): Promise<{ call: number; hasTurn: boolean; completed: number }> {
    try {
      const [call, turn, completed] = (await this.#eval(CALL, TURN_MAX_MS)) as [number, number, number];
      return { call, hasTurn: turn === 1, completed };
    } catch {
      // Without Redis indexers get no jobs, so that a refresh finds next to nothing to do.
      return { call: 0, hasTurn: true, completed: 0 };
    }
  }

  async #complete(call: number, durationMs: number): Promise<void> {
    const pauseMs = Math.ceil(Math.max(PAUSE_MIN_MS, PAUSE_PER_DURATION * durationMs));
    // Otherwise the turn ends by itself.
    await this.#eval(COMPLETE, call, pauseMs).catch(() => undefined);
  }

  #eval(script: string, ...values: number[]): Promise<unknown> {
    return this.#deps.redis.eval(script, this.#keys.length, ...this.#keys, ...values);
  }
}
