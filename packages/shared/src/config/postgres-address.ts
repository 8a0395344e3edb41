import pg from 'pg';
import { errorMessage } from '../process/error-message.ts';
import { ENCODING, encodingProblem, clientCertificateProblem, unreadable } from './address-problems.ts';
import { readFileAgain } from '../environment/env-values.ts';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const POSTGRES_EXAMPLE = 'postgresql://user:password@127.0.0.1:5432/ugc';

const PROTOCOLS = ['postgres:', 'postgresql:'];
const SEVERAL_HOSTS = /^\w+:\/\/(?:[^/?#]*@)?[^/?#@]*,/;
const USER_WITHOUT_HOST = /^\w+:\/\/[^/?#]*@\//;

/** @returns what is wrong with DATABASE_URL; undefined if nothing is */
export function postgresUrlProblem(url: string): string | undefined {
  if (SEVERAL_HOSTS.test(url)) return 'has several hosts, and the service connects to one: use the address that leads to the primary';
  if (USER_WITHOUT_HOST.test(url)) return 'has no host; for a Unix socket, write postgresql://user:password@localhost/ugc?host=/folder';
  if (!URL.canParse(url) || !PROTOCOLS.includes(new URL(url).protocol)) return `must be a URL such as ${POSTGRES_EXAMPLE}; ${ENCODING}`;
  return encodingProblem(new URL(url)) ?? sslModeProblem(url) ?? sslFilesProblem(url) ?? clientProblem(pinSslMode(url));
}

/** What the client itself does not accept. */
function clientProblem(url: string): string | undefined {
  try {
    const { host, port } = new pg.Client(url);
    if (host.includes(',')) return 'host names several hosts, and the service connects to one';
    return Number.isInteger(port) ? undefined : 'port must be a number';
  } catch (error) {
    return `cannot be used: ${errorMessage(error)}`;
  }
}

type PostgresAddress = { address: string; user: string; database: string };

/** What the client makes of a valid DATABASE_URL, for messages. Parameters replace the host, as for a Unix socket. */
export function postgresAddress(url: string): PostgresAddress {
  const { host, port, user = '', database = '' } = new pg.Client(withoutFiles(url));
  const name = host.includes(':') ? `[${host}]` : host;
  return { address: host.startsWith('/') ? host : `${name}:${port}`, user, database };
}

/** The client reads the files, which may be missing by now. */
export function withoutFiles(url: string): string {
  const bare = new URL(url);
  for (const name of ['sslcert', 'sslkey', 'sslrootcert']) bare.searchParams.delete(name);
  return bare.href;
}

/** @returns the URL with the user and the password that are in the file now, unless the client cannot use them */
export function withPasswordOfFile(url: string, env: NodeJS.ProcessEnv): string {
  const present = readFileAgain('DATABASE_URL', env) ?? '';
  if (!URL.canParse(present) || postgresUrlProblem(withoutFiles(present)) !== undefined) return url;
  const { username, password } = new URL(present);
  return Object.assign(new URL(url), { username, password }).href;
}

/** They verify the certificate and its name. Some mean less in libpq, and may mean less in a later release of `pg`. */
const VERIFIED = ['verify-full', 'verify-ca', 'require', 'prefer'];
const UNVERIFIED = 'no-verify';
const SSL_MODES = [...VERIFIED, UNVERIFIED, 'disable'];
/** Values of `ssl`, which other clients have in place of `sslmode`. */
const SSL_ON = ['true', '1'];
const SSL_VALUES = [...SSL_ON, '0'];

/** @returns what is wrong with `sslmode` in a valid URL of PostgreSQL; undefined if nothing is */
function sslModeProblem(url: string): string | undefined {
  const { searchParams } = new URL(url);
  const mode = searchParams.get('sslmode');
  const ssl = searchParams.get('ssl');
  if (searchParams.has('uselibpqcompat')) return 'uselibpqcompat is not supported, because it weakens sslmode; remove it';
  // The client uses the last one.
  const repeated = [...searchParams.keys()].find((name) => name.startsWith('ssl') && searchParams.getAll(name).length > 1);
  if (repeated !== undefined) return `${repeated} is given more than once; remove all but one`;
  if (ssl !== null && !SSL_VALUES.includes(ssl))
    return 'ssl can only be true; for anything else, write one of sslmode=verify-full, sslmode=no-verify and sslmode=disable in its place';
  return mode === null || SSL_MODES.includes(mode) ? undefined : `sslmode must be one of ${SSL_MODES.join(', ')}`;
}

/** @returns what is wrong with the files that a valid URL of PostgreSQL names; undefined if nothing is */
export function sslFilesProblem(url: string): string | undefined {
  const { searchParams } = new URL(url);
  const pathIn = (name: string): string | undefined => searchParams.get(name) || undefined;
  const [authority, cert, key] = [pathIn('sslrootcert'), pathIn('sslcert'), pathIn('sslkey')];
  const isWithoutTls = searchParams.get('sslmode') === 'disable';
  if (isWithoutTls && (cert !== undefined || key !== undefined))
    return 'sslcert and sslkey are not used with sslmode=disable; write sslmode=verify-full';
  const names = { cert: 'sslcert', key: 'sslkey' };
  return clientCertificateProblem({ cert, key, names }) ?? (authority === undefined ? undefined : authorityProblem(authority));
}

/** The client takes the public authorities in place of an empty file, and ignores what is no certificate. */
function authorityProblem(path: string): string | undefined {
  if (path === 'system') return 'sslrootcert=system is not needed; remove it: sslmode=verify-full accepts the public authorities';
  const problem = unreadable('sslrootcert', path);
  if (problem !== undefined) return problem;
  try {
    new X509Certificate(readFileSync(path, 'utf8'));
    return undefined;
  } catch {
    return `sslrootcert: the file ${path} contains no certificate in PEM`;
  }
}

/**
 * @returns the URL with `verify-full` for every mode that verifies the certificate, and for TLS without a mode. Blanks are
 * encoded: the client decodes nothing else in a URL that contains one
 */
export function pinSslMode(url: string): string {
  const pinned = new URL(url);
  const mode = pinned.searchParams.get('sslmode') ?? (isWithTls(pinned) ? 'require' : '');
  if (mode === 'verify-full' || !VERIFIED.includes(mode)) return pinned.href;
  pinned.searchParams.set('sslmode', 'verify-full');
  return pinned.href;
}

/** @returns the URL with the mode that the client would take of PGSSLMODE, so that it is checked and pinned too */
export function withSslMode(url: string, { PGSSLMODE: mode = '' }: NodeJS.ProcessEnv): string {
  if (!SSL_MODES.includes(mode) || !URL.canParse(url)) return url;
  const completed = new URL(url);
  if (completed.searchParams.has('sslmode') || completed.searchParams.has('ssl') || isWithTls(completed)) return url;
  completed.searchParams.set('sslmode', mode);
  return completed.href;
}

/** Whether the client uses TLS without `sslmode`. The programs of PostgreSQL do not, or do not verify. */
function isWithTls({ searchParams }: URL): boolean {
  const isGiven = ['sslcert', 'sslkey', 'sslrootcert'].some((name) => searchParams.get(name));
  return isGiven || SSL_ON.includes(searchParams.get('ssl') ?? '') || searchParams.get('sslnegotiation') === 'direct';
}

/** @param url may be invalid. @returns a warning about its `sslmode`, without the URL */
export function sslModeWarning(url: string): string | undefined {
  const mode = URL.canParse(url) ? new URL(url).searchParams.get('sslmode') : null;
  if (mode === UNVERIFIED)
    return 'DATABASE_URL: with sslmode=no-verify, whoever is on the way to PostgreSQL can read and change everything. Use verify-full.';
  if (mode === null || mode === 'verify-full' || !VERIFIED.includes(mode)) return undefined;
  return `DATABASE_URL: sslmode=${mode} verifies the certificate and its name. Write sslmode=verify-full, which says so.`;
}
