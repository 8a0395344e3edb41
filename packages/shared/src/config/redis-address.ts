import type { RedisOptions } from 'ioredis';
import { storeTimeout } from '../timing/timeouts.ts';
import { decodingProblem, encodingProblem, validUrls } from './address-problems.ts';
import { readFileAgain } from '../environment/env-values.ts';

/** `REDIS_URL` with several hosts names the sentinels that watch the primary REDIS_SENTINEL_NAME. */
export type RedisAddress = {
  REDIS_URL: string;
  REDIS_SENTINEL_NAME?: string | undefined;
  REDIS_SENTINEL_PASSWORD?: string | undefined;
};

const SENTINEL_PORT = 26_379;
const SENTINEL_TIMEOUT_MS = 1_000;
const PARTS = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]+)(.*)$/s;

/** @returns a URL for each host; undefined if the text is no URL with one or several hosts */
export function redisUrls(text: string): URL[] | undefined {
  const [, begin = '', hosts = '', end = ''] = PARTS.exec(text) ?? [];
  const urls = hosts.split(',').map((host) => `${begin}${host.trim()}${end}`);
  return urls.every((url) => URL.canParse(url) && new URL(url).hostname !== '') ? urls.map((url) => new URL(url)) : undefined;
}

/** What contradicts in the values, as a line of a configuration error. */
export function redisAddressProblem(values: Partial<RedisAddress>): string | undefined {
  const [first, ...others] = redisUrls(values.REDIS_URL ?? '') ?? [];
  const { REDIS_SENTINEL_NAME: name, REDIS_SENTINEL_PASSWORD: password } = values;
  const problem = first && redisUrlProblem(first, { isSentinel: name !== undefined, isAlone: others.length === 0 });
  if (problem !== undefined) return `REDIS_URL: ${problem}`;
  return name === undefined && password !== undefined ? 'REDIS_SENTINEL_PASSWORD: is used with REDIS_SENTINEL_NAME only' : undefined;
}

function redisUrlProblem(url: URL, { isSentinel, isAlone }: { isSentinel: boolean; isAlone: boolean }): string | undefined {
  const hasDatabaseOnly = /^\/?\d*$/.test(url.pathname);
  const encoding = encodingProblem(url) ?? decodingProblem(url);
  if (encoding !== undefined) return encoding;
  if (isSentinel && !(hasDatabaseOnly && url.search === ''))
    return 'with REDIS_SENTINEL_NAME, only the number of a database may follow the hosts, as in redis://sentinel-1,sentinel-2/0';
  if (!isSentinel && !isAlone) return 'has several hosts, which must be sentinels; set REDIS_SENTINEL_NAME to the name of their primary';
  if (!hasDatabaseOnly) return 'only the number of a database may be the path, as in redis://127.0.0.1:6379/0';
  return url.searchParams.has('keyPrefix') ? 'keyPrefix is not supported; set QUEUE_PREFIX' : undefined;
}

/** The hosts for messages: without credentials. */
export function describeRedisAddress(address: RedisAddress): string {
  const isSentinel = address.REDIS_SENTINEL_NAME !== undefined;
  const hosts = (redisUrls(address.REDIS_URL) ?? []).map(
    ({ hostname, port }) => `${hostname}:${port || (isSentinel ? SENTINEL_PORT : 6_379)}`,
  );
  return isSentinel ? `the primary ${address.REDIS_SENTINEL_NAME} of the sentinels at ${hosts.join(', ')}` : hosts.join();
}

/** The credentials and the database of the URL are those of the primary; `rediss:` applies to both hops. */
export function sentinelOptions(address: RedisAddress): RedisOptions {
  const urls = redisUrls(address.REDIS_URL) ?? [];
  return {
    name: address.REDIS_SENTINEL_NAME ?? '',
    sentinels: urls.map(({ hostname, port }) => ({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || SENTINEL_PORT) })),
    ...(address.REDIS_SENTINEL_PASSWORD !== undefined && { sentinelPassword: address.REDIS_SENTINEL_PASSWORD }),
    ...(urls[0] && primaryOptions(urls[0])),
    // The failover detector of ioredis is not used: a failover during a reconnection would end the connection for good.
    sentinelCommandTimeout: storeTimeout(SENTINEL_TIMEOUT_MS),
  };
}

/** @returns the users and passwords that are in the files now */
export function redisCredentialsOfFiles(env: NodeJS.ProcessEnv = process.env): RedisOptions {
  const [url] = validUrls(redisUrls(readFileAgain('REDIS_URL', env) ?? ''));
  const sentinelPassword = readFileAgain('REDIS_SENTINEL_PASSWORD', env);
  return { ...(url && credentials(url)), ...(sentinelPassword !== undefined && { sentinelPassword }) };
}

function credentials({ username, password }: URL): RedisOptions {
  return {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
}

function primaryOptions(url: URL): RedisOptions {
  return {
    ...credentials(url),
    db: Number(url.pathname.slice(1)),
    ...(url.protocol === 'rediss:' && { tls: {}, enableTLSForSentinelMode: true, sentinelTLS: {} }),
  };
}
