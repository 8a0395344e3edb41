import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseEnv, storeEnv } from '@ugc/shared/process/env';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from '../support/servers/tls.ts';

const STORES = { REDIS_URL: 'redis://127.0.0.1:6379', ELASTICSEARCH_URL: 'http://127.0.0.1:9200' };
const urlWith = (query: string): string => `postgresql://ugc:secret@db.example/ugc${query}`;

function parsed(query: string, more: NodeJS.ProcessEnv = {}): { url: string; warnings: string[] } {
  const warnings: string[] = [];
  const env = { ...STORES, DATABASE_URL: urlWith(query), ...more };
  const { DATABASE_URL: url } = parseEnv(storeEnv, env, (warning) => warnings.push(warning));
  return { url, warnings };
}

it.each(['require', 'prefer', 'verify-ca'])('sslmode=%s verifies certificate and name, whatever the client makes of it', (mode) => {
  const { url, warnings } = parsed(`?sslmode=${mode}&application_name=a%20b`);
  expect(new URL(url).searchParams.get('sslmode')).toBe('verify-full');
  expect(new URL(url).searchParams.get('application_name')).toBe('a b');
  expect(warnings).toEqual([expect.stringContaining('Write sslmode=verify-full')]);
});

it.each(['', '?sslmode=disable', '?sslmode=verify-full', '?ssl=0', '?ssl=true&sslmode=disable'])('"%s" is used as it is', (query) =>
  expect(parsed(query)).toEqual({ url: urlWith(query), warnings: [] }),
);

it.each(['?ssl=true', '?ssl=1', '?sslnegotiation=direct'])('%s without sslmode is TLS that is verified by all programs', (query) =>
  expect(parsed(query)).toEqual({ url: urlWith(`${query}&sslmode=verify-full`), warnings: [] }),
);

describe('the file sslrootcert', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ugc-ssl-mode-'));
    await writeFile(join(folder, 'ca.pem'), (await createAuthority('an authority')).cert);
    await writeFile(join(folder, 'empty.pem'), '');
    await writeFile(join(folder, 'other.pem'), 'no certificate');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('means TLS that is verified by all programs, also without sslmode', () => {
    const query = `?sslrootcert=${encodeURIComponent(join(folder, 'ca.pem'))}`;
    expect(parsed(query)).toEqual({ url: urlWith(`${query}&sslmode=verify-full`), warnings: [] });
  });

  it('of the system is that of a URL without it', () => {
    expect(() => parsed('?sslmode=verify-full&sslrootcert=system')).toThrow(
      'remove it: sslmode=verify-full accepts the public authorities',
    );
  });

  it.each(['empty.pem', 'other.pem'])('is refused if it contains no certificate: %s', (name) => {
    expect(() => parsed(`?sslmode=verify-full&sslrootcert=${join(folder, name)}`)).toThrow(`${name} contains no certificate in PEM`);
  });
});

it('sslmode=no-verify is possible, with a warning that does not contain the URL', () => {
  const { url, warnings } = parsed('?sslmode=no-verify');
  expect(url).toBe(urlWith('?sslmode=no-verify'));
  expect(warnings).toEqual([expect.stringContaining('Use verify-full.')]);
  expect(warnings.join()).not.toContain('secret');
});

describe('PGSSLMODE, which the client uses for a URL without a mode', () => {
  it.each(['require', 'prefer', 'verify-ca'])('%s verifies certificate and name, with a warning', (PGSSLMODE) =>
    expect(parsed('', { PGSSLMODE })).toEqual({
      url: urlWith('?sslmode=verify-full'),
      warnings: [expect.stringContaining(`sslmode=${PGSSLMODE} verifies`)],
    }),
  );

  it('no-verify has the same warning as in the URL', () =>
    expect(parsed('', { PGSSLMODE: 'no-verify' }).warnings).toEqual([expect.stringContaining('Use verify-full.')]));

  it.each(['?sslmode=verify-full', '?sslmode=disable', '?ssl=0'])('does not change %s', (query) =>
    expect(parsed(query, { PGSSLMODE: 'no-verify' })).toEqual({ url: urlWith(query), warnings: [] }),
  );
});

it.each([
  ['?sslmode=allow', 'sslmode must be one of verify-full, verify-ca, require, prefer, no-verify, disable'],
  ['?sslmode=', 'sslmode must be one of'],
  ['?ssl=no-verify', 'ssl can only be true; for anything else, write one of sslmode=verify-full, sslmode=no-verify and sslmode=disable'],
  ['?ssl=false', 'ssl can only be true'],
  ['?ssl=require', 'ssl can only be true'],
  ['?sslmode=verify-full&sslmode=no-verify', 'sslmode is given more than once'],
  ['?sslmode=require&uselibpqcompat=true', 'uselibpqcompat is not supported'],
  ['?sslmode=verify-full&sslrootcert=/none.pem', 'sslrootcert: the file /none.pem cannot be read'],
  ['?sslmode=verify-full&sslkey=/none.key', 'sslkey needs sslcert, the path of the certificate'],
  ['?sslmode=disable&sslcert=/c&sslkey=/k', 'sslcert and sslkey are not used with sslmode=disable'],
])('%s is refused with what is right', (query, message) => expect(() => parsed(query)).toThrow(`DATABASE_URL: ${message}`));
