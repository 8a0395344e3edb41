import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { Log } from '../process/log.ts';
import { describeRedisRefusal } from '../failures/describe.ts';

type CheckOptions = { redis: Redis; queuePrefix: string; log: Log };
type Refused = { command: string; message: string };

const OLDEST = '6.2';
/** Longer than a check takes. */
const KEY_TTL_MS = 10_000;

/**
 * Every command that the service needs: its own, and those of the scripts of BullMQ and of the rate limiter. Each runs on
 * the key K, which holds a string, and changes nothing outside of it.
 */
const PROBES = [
  'bzpopmin K 0.01, del K, eval return(1) 0, evalsha 0 0, exists K, expire K 10, get K, hdel K x, hexists K x, hget K x',
  'hgetall K, hincrby K x 1, hmget K x, hmset K x 1, hset K x 1, incr K, incrby K 1, lindex K 0, llen K, lpush K x',
  'lrange K 0 0, lrem K 0 x, ltrim K 0 0, persist K, pexpire K 10000, pttl K, rename K K, rpop K, rpoplpush K K, rpush K x',
  'sadd K x, scard K, set K x, smembers K, srem K x, xadd K * x x, xtrim K MAXLEN 0, zadd K 1 x, zcard K, zcount K 0 1',
  'zpopmin K, zrange K 0 0, zrangebyscore K 0 1, zrem K x, zremrangebyrank K 0 0, zremrangebyscore K 0 0, zrevrange K 0 0',
  'zrevrangebyscore K 1 0, zscore K x',
].flatMap((line) => line.split(', ').map((command) => command.split(' ')));

export const REDIS_COMMANDS = PROBES.map(([name = '']) => name);

/** Whether Redis does what the service needs: a user without permissions or a cluster responds, but to no purpose. */
export class RedisCheck {
  readonly #options: CheckOptions;
  #problems: string[] = [];

  /** Also checks each new connection, so that the log says at the start what is wrong. */
  constructor(options: CheckOptions) {
    this.#options = options;
    options.redis.on('ready', () => void this.run().catch(() => undefined));
  }

  /** The result of the last check. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** @returns what Redis refuses, with what to do @throws Error if Redis does not respond */
  async run(): Promise<readonly string[]> {
    const { redis, queuePrefix } = this.#options;
    const problems = await findRedisProblems(redis, queuePrefix);
    if (problems.join() !== this.#problems.join()) this.#report(problems);
    this.#problems = problems;
    return problems;
  }

  #report(problems: string[]): void {
    const { log } = this.#options;
    if (problems.length > 0) log.error({ problems }, 'Redis refuses what the service needs');
    else log.info('Redis does all that the service needs again');
  }
}

/** @returns what Redis refuses, with what to do @throws Error if Redis does not respond */
export async function findRedisProblems(redis: Redis, queuePrefix: string): Promise<string[]> {
  const version = await readVersion(redis);
  const isOld = version !== undefined && version.localeCompare(OLDEST, 'en', { numeric: true }) < 0;
  const tooOld = isOld ? [`Redis has version ${version}, which is too old: it must be version ${OLDEST} or later, or Valkey.`] : [];
  const refused = await findRefused(redis, queuePrefix);
  return [...tooOld, ...describe(refused, { user: redis.options.username ?? 'default', queuePrefix })];
}

function describe(refused: Refused[], where: { user: string; queuePrefix: string }): string[] {
  const crossSlot = refused.find(({ message }) => message.startsWith('CROSSSLOT'));
  if (crossSlot) return [describeRedisRefusal(crossSlot.message, where)];
  const commands = refused.filter(({ message }) => message.startsWith('NOPERM') && !/\bkeys?\b/.test(message));
  const others = refused.filter((refusal) => !commands.includes(refusal)).map(({ message }) => describeRedisRefusal(message, where));
  const names = commands.map(({ command }) => command);
  const rules = names.map((name) => `+${name}`).join(' ');
  const missing = `The Redis user ${where.user} may not run ${names.join(', ')}: run ACL SETUSER ${where.user} ${rules}`;
  return [...(names.length > 0 ? [missing] : []), ...new Set(others)];
}

/** @returns undefined if Redis refuses INFO, as it does for most restricted users. Valkey names the Redis that it is compatible with. */
async function readVersion(redis: Redis): Promise<string | undefined> {
  const info = await redis.info('server').catch((error: unknown) => {
    if (error instanceof Error && error.name === 'ReplyError') return '';
    throw error;
  });
  return /^redis_version:(\S+)/m.exec(info)?.[1];
}

async function findRefused(redis: Redis, queuePrefix: string): Promise<Refused[]> {
  const key = `${queuePrefix}:index-content:check-${randomUUID()}`;
  const basic = await refusedOf(redis, [
    // The client uses database 0 if its own SELECT is refused.
    ...(redis.options.db ? [['select', String(redis.options.db)]] : []),
    ['set', key, '', 'PX', String(KEY_TTL_MS)],
    // The keys belong to the queue, to refreshes and to rate limits. A script uses several keys together.
    ['exists', key, ...['index-content:wait', 'refresh:turn', 'limit:lists'].map((name) => `${queuePrefix}:${name}`)],
  ]);
  // The other commands would create a key that is missing, or wait for it.
  if (basic.some(({ command }) => command === 'set')) return basic;
  return [...basic, ...(await refusedOf(redis, probesOn(key)))].filter(isFirstOfItsCommand);
}

/** The last one deletes the key. */
function probesOn(key: string): string[][] {
  const probes = PROBES.map((words) => words.map((word) => (word === 'K' ? key : word)));
  return [...probes.filter(([name]) => name !== 'del'), ['del', key]];
}

async function refusedOf(redis: Redis, commands: string[][]): Promise<Refused[]> {
  const results = (await redis.pipeline(commands).exec()) ?? [];
  return commands.flatMap(([command = ''], position) => {
    const error = results[position]?.[0];
    if (!error || isExpected(error)) return [];
    if (error.name !== 'ReplyError') throw error;
    return [{ command, message: error.message }];
  });
}

/** The key holds a string that is no number, and no script has this name. */
function isExpected({ message }: Error): boolean {
  return /^(WRONGTYPE|NOSCRIPT|ERR value is not an integer)/.test(message);
}

function isFirstOfItsCommand({ command }: Refused, position: number, all: Refused[]): boolean {
  return all.findIndex((other) => other.command === command) === position;
}

const NO_EVICTION = 'noeviction';
const UNKNOWN = 'unknown';

type RedisMemory = { usedBytes: number; limitBytes: number | null; policy: string | undefined };

/** @returns undefined if Redis refuses INFO, as it does for most restricted users @throws Error if it does not respond */
export async function readRedisMemory(redis: Redis): Promise<RedisMemory | undefined> {
  const info = await redis.info('memory').catch((error: unknown) => {
    if (error instanceof Error && /^(NOPERM|ERR unknown command)/.test(error.message)) return undefined;
    throw error;
  });
  return info === undefined ? undefined : parseMemory(info);
}

function parseMemory(info: string): RedisMemory {
  const bytes = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const policy = /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1];
  return { usedBytes: bytes('used_memory'), limitBytes: bytes('maxmemory') || null, policy };
}

/** A full Redis with an eviction policy deletes index jobs silently. Their changes are claimed again after a delay. */
export class EvictionPolicy {
  readonly #redis: Redis;
  readonly #log: Log;
  #loggedPolicy: string = NO_EVICTION;

  constructor({ redis, log }: { redis: Redis; log: Log }) {
    this.#redis = redis;
    this.#log = log;
    redis.on('ready', () => void this.read().catch(() => undefined));
  }

  /** Uses INFO, because managed Redis services often forbid CONFIG GET. @throws Error if Redis does not respond */
  async read(): Promise<'ok' | 'evicts' | 'unknown'> {
    const info = await readRedisMemory(this.#redis);
    const policy = info?.policy ?? UNKNOWN;
    this.#logIfChanged(policy);
    if (policy === UNKNOWN) return 'unknown';
    return policy === NO_EVICTION ? 'ok' : 'evicts';
  }

  #logIfChanged(policy: string): void {
    if (policy === this.#loggedPolicy) return;
    this.#loggedPolicy = policy;
    if (policy === NO_EVICTION) this.#log.info({ policy }, 'Redis maxmemory-policy is correct again');
    else if (policy === UNKNOWN) this.#log.warn('The maxmemory-policy of Redis is unknown: its user may not run INFO');
    else this.#log.error({ policy }, 'Redis may evict index jobs: set its maxmemory-policy to noeviction');
  }
}
