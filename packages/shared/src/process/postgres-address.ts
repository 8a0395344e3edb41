import pg from 'pg';
import { errorMessage } from './error-message.ts';
import { pinSslMode, sslFilesProblem, sslModeProblem } from './ssl-mode.ts';
import { ENCODING, encodingProblem } from './url-encoding.ts';

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
