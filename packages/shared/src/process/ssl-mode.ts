import { clientCertificateProblem, unreadable } from './client-certificate.ts';

/** They verify the certificate and its name. Some mean less in libpq, and may mean less in a later release of `pg`. */
const VERIFIED = ['verify-full', 'verify-ca', 'require', 'prefer'];
const UNVERIFIED = 'no-verify';
const SSL_MODES = [...VERIFIED, UNVERIFIED, 'disable'];

/** @returns what is wrong with `sslmode` in a valid URL of PostgreSQL; undefined if nothing is */
export function sslModeProblem(url: string): string | undefined {
  const { searchParams } = new URL(url);
  const mode = searchParams.get('sslmode');
  if (searchParams.has('uselibpqcompat')) return 'uselibpqcompat is not supported, because it weakens sslmode; remove it';
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
  return clientCertificateProblem({ cert, key, names }) ?? (authority === undefined ? undefined : unreadable('sslrootcert', authority));
}

/** @returns the URL with `verify-full` for every mode that verifies the certificate */
export function pinSslMode(url: string): string {
  const pinned = new URL(url);
  const mode = pinned.searchParams.get('sslmode') ?? '';
  if (mode === 'verify-full' || !VERIFIED.includes(mode)) return url;
  pinned.searchParams.set('sslmode', 'verify-full');
  return pinned.href;
}

/** @param url may be invalid. @returns a warning about its `sslmode`, without the URL */
export function sslModeWarning(url: string): string | undefined {
  const mode = URL.canParse(url) ? new URL(url).searchParams.get('sslmode') : null;
  if (mode === UNVERIFIED)
    return 'DATABASE_URL: with sslmode=no-verify, whoever is on the way to PostgreSQL can read and change everything. Use verify-full.';
  if (mode === null || mode === 'verify-full' || !VERIFIED.includes(mode)) return undefined;
  return `DATABASE_URL: sslmode=${mode} verifies the certificate and its name. Write sslmode=verify-full, which says so.`;
}
