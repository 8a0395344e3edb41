import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { Log } from '../process/log.ts';
import { commandsOn } from './redis-commands.ts';
import { describeOldVersion, describeRefusals } from './redis-refusal.ts';

type CheckOptions = { redis: Redis; queuePrefix: string; log: Log };
type Refused = { command: string; message: string };

/** Longer than a check takes. */
const KEY_TTL_MS = 10_000;

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

  /** @returns what Redis refuses, as sentences that say what to do @throws Error if Redis does not respond */
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

/** @returns what Redis refuses, as sentences that say what to do @throws Error if Redis does not respond */
export async function findRedisProblems(redis: Redis, queuePrefix: string): Promise<string[]> {
  const tooOld = describeOldVersion(await readVersion(redis));
  const refused = await findRefused(redis, queuePrefix);
  return [...tooOld, ...describeRefusals(refused, { user: redis.options.username ?? 'default', queuePrefix })];
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
  // Without the key, the other commands would create it or wait for it.
  if (basic.some(({ command }) => command === 'set')) return basic;
  return [...basic, ...(await refusedOf(redis, commandsOn(key)))].filter(isFirstOfItsCommand);
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
