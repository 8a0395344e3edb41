import { describe, expect, it } from '@jest/globals';
import { IndexerEnv } from '@ugc/indexer/env';
import { parseEnv } from '@ugc/shared/process/env';
import { describeRedisAddress, sentinelOptions } from '@ugc/shared/process/redis-address';
import { connectProducer } from '@ugc/shared/stores/redis';
import type { Environment } from '../support/processes/environment.ts';

const SENTINELS = 'redis://ugc:p%40ss@s1:26380,s2,[::1]:26381/3';

function parse(env: Environment): unknown {
  return parseEnv(IndexerEnv, { DATABASE_URL: 'postgres://h/d', ELASTICSEARCH_URL: 'http://h', ...env });
}

describe('the hosts of REDIS_URL', () => {
  it('are sentinels with REDIS_SENTINEL_NAME; user, password and database are those of the primary', () => {
    expect(sentinelOptions({ REDIS_URL: SENTINELS, REDIS_SENTINEL_NAME: 'main', REDIS_SENTINEL_PASSWORD: 'other' })).toMatchObject({
      name: 'main',
      sentinels: [
        { host: 's1', port: 26_380 },
        { host: 's2', port: 26_379 },
        { host: '::1', port: 26_381 },
      ],
      username: 'ugc',
      password: 'p@ss',
      db: 3,
      sentinelPassword: 'other',
    });
  });

  it('get TLS on both hops with rediss', () => {
    const options = sentinelOptions({ REDIS_URL: SENTINELS.replace('redis:', 'rediss:'), REDIS_SENTINEL_NAME: 'main' });
    expect(options).toMatchObject({ tls: {}, enableTLSForSentinelMode: true, sentinelTLS: {} });
  });

  it('are named in messages without user and password', () => {
    const described = describeRedisAddress({ REDIS_URL: SENTINELS, REDIS_SENTINEL_NAME: 'main' });
    expect(described).toBe('the primary main of the sentinels at s1:26380, s2:26379, [::1]:26381');
    expect(describeRedisAddress({ REDIS_URL: 'redis://ugc:secret@h' })).toBe('h:6379');
  });

  it.each([
    ['several hosts without a name', { REDIS_URL: SENTINELS }, /REDIS_URL: has several hosts.*set REDIS_SENTINEL_NAME/],
    [
      'a password of sentinels without a name',
      { REDIS_URL: 'redis://h', REDIS_SENTINEL_PASSWORD: 'x' },
      /REDIS_SENTINEL_PASSWORD: is used/,
    ],
    ['an empty host', { REDIS_URL: 'redis://s1:26379,,s2', REDIS_SENTINEL_NAME: 'main' }, /REDIS_URL: must be a URL such as/],
    ['a port that is none', { REDIS_URL: 'redis://s1:26379,s2:x', REDIS_SENTINEL_NAME: 'main' }, /REDIS_URL: must be a URL such as/],
    [
      'no number of a database',
      { REDIS_URL: 'redis://s1,s2/ugc', REDIS_SENTINEL_NAME: 'main' },
      /REDIS_URL: with REDIS_SENTINEL_NAME, only the number/,
    ],
    [
      'parameters',
      { REDIS_URL: 'redis://s1,s2?family=6', REDIS_SENTINEL_NAME: 'main' },
      /REDIS_URL: with REDIS_SENTINEL_NAME, only the number/,
    ],
    ['no number of a database on one host', { REDIS_URL: 'redis://h/ugc' }, /REDIS_URL: only the number of a database may be the path/],
    ['a prefix of keys', { REDIS_URL: 'redis://h?keyPrefix=ugc' }, /REDIS_URL: keyPrefix is not supported; set QUEUE_PREFIX/],
    ['another scheme', { REDIS_URL: 'http://h' }, /REDIS_URL: must be a URL such as/],
  ])('with %s are refused, and the message says what would be right', (_, env, message) => {
    expect(() => parse(env)).toThrow(message);
  });

  it('get TLS with REDISS too', () => {
    const redis = connectProducer({ REDIS_URL: 'REDISS://127.0.0.1:1' }, () => undefined);
    redis.disconnect();
    expect(redis.options.tls).toBeTruthy();
  });

  it('may be one sentinel only', () => {
    expect(parse({ REDIS_URL: 'redis://s1:26379', REDIS_SENTINEL_NAME: 'main' })).toMatchObject({ REDIS_SENTINEL_NAME: 'main' });
  });
});
