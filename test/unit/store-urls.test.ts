import { describe, expect, it } from '@jest/globals';
import { parseEnv, storeEnv } from '@ugc/shared/process/env';
import { postgresAddress } from '@ugc/shared/process/postgres-address';
import pg from 'pg';
import type { Environment } from '../support/processes/environment.ts';

const STORES = { DATABASE_URL: 'postgres://h/d', REDIS_URL: 'redis://h', ELASTICSEARCH_URL: 'http://h' };

function parse(env: Environment) {
  return parseEnv(storeEnv, { ...STORES, ...env }, () => undefined);
}

describe('a special character of a password that is not percent-encoded is refused at the start, without the password:', () => {
  it.each<[keyof typeof STORES, string]>([
    ['DATABASE_URL', 'postgresql://u:pa#secret@h/d'],
    ['DATABASE_URL', 'postgresql://u:12#secret@h/d'],
    ['DATABASE_URL', 'postgresql://u:12/secret@h/d'],
    ['DATABASE_URL', 'postgresql://u:12?secret@h/d'],
    ['REDIS_URL', 'redis://:12#secret@h'],
    ['REDIS_URL', 'redis://u:12/secret@h'],
    ['REDIS_URL', 'redis://u:secret%@h'],
    ['ELASTICSEARCH_URL', 'http://u:12#secret@h'],
    ['ELASTICSEARCH_URL', 'http://u:12/secret@h'],
    ['ELASTICSEARCH_URL', 'http://u:secret%@h:9200'],
    ['ELASTICSEARCH_URL', 'http://u:p@g,http://u:secret%@h:9200'],
  ])('%s=%s', (name, url) => {
    const refuse = () => parse({ [name]: url });
    expect(refuse).toThrow(new RegExp(`${name}: .*must be percent-encoded: % is %25, # is %23`));
    expect(refuse).not.toThrow('secret');
  });

  it('REDIS_URL of sentinels', () => {
    expect(() => parse({ REDIS_URL: 'redis://u:100%@s1,s2', REDIS_SENTINEL_NAME: 'main' })).toThrow(/REDIS_URL: .*percent-encoded/);
  });
});

describe('DATABASE_URL', () => {
  it.each(['', '?options=-c work_mem=8MB', '?application_name=a b&sslmode=verify-full'])(
    'has the same password with the parameters "%s"',
    (query) => {
      const { DATABASE_URL: url } = parse({ DATABASE_URL: `postgresql://u:a%2Fb%23c%40d%25e%20f@h/d${query}` });
      expect(new pg.Client(url).password).toBe('a/b#c@d%e f');
    },
  );

  it.each([
    ['postgresql://u:p@h1:5432,h2:5432/d', 'has several hosts, and the service connects to one'],
    ['postgresql://u:p,w@h1,h2/d', 'has several hosts, and the service connects to one'],
    ['postgresql://u:p@h/d?host=h1,h2', 'host names several hosts, and the service connects to one'],
    [
      'postgresql://u:p@/d?host=/cloudsql/a:b:c',
      'has no host; for a Unix socket, write postgresql://user:password@localhost/ugc?host=/folder',
    ],
    ['postgresql://h/d?port=x', 'port must be a number'],
    ['postgresql://h/%', 'cannot be used: URI malformed'],
    ['postgresql://h/d?sslnegotiation=other', 'cannot be used: Invalid sslnegotiation value'],
    ['host=h dbname=d', 'must be a URL such as postgresql://user:password@127.0.0.1:5432/ugc'],
  ])('%s is refused with what is right', (url, message) => {
    expect(() => parse({ DATABASE_URL: url })).toThrow(`DATABASE_URL: ${message}`);
  });

  it.each([
    ['postgresql://u:p,w@h/d', { address: 'h:5432', user: 'u', database: 'd' }],
    ['postgresql://u%40s:p@[::1]:5433/d', { address: '[::1]:5433', user: 'u@s', database: 'd' }],
    ['postgresql://u:p@localhost/d?host=/cloudsql/a:b:c', { address: '/cloudsql/a:b:c', user: 'u', database: 'd' }],
    ['postgresql://u@h', { address: 'h:5432', user: 'u', database: 'u' }],
    ['postgresql://u:p@h/d?sslmode=verify-full&sslcert=/gone&sslkey=/gone', { address: 'h:5432', user: 'u', database: 'd' }],
    ['postgresql://u%:p@h/d', { address: 'h:5432', user: 'u%', database: 'd' }],
  ])('%s is named in messages as the client uses it', (url, address) => {
    expect(postgresAddress(url)).toEqual(address);
  });
});
