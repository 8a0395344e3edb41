import { readJsonText } from '@ugc/shared/process/json-values';
import { storeTimeout } from '@ugc/shared/timing/timeouts';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type CryptoKey,
  type FetchImplementation,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';
import { createSecretKey, KeyObject } from 'node:crypto';
import { isStrong, publicKeysIn, secretsIn, type ApiEnv } from '../env.ts';
import { KeysUnavailable } from '../http/problem-details.ts';

type KeySettings = Pick<ApiEnv, 'JWT_SECRET' | 'JWT_PUBLIC_KEY' | 'JWT_JWKS_URL'>;

export type TokenHeader = JWSHeaderParameters & { alg: string };
export type Keys = {
  algorithms: string[];
  /** A token is valid if it is signed with one of them. */
  find(header: TokenHeader): Promise<KeyObject | KeyObject[]>;
  onFetch(listener: () => void): void;
  /** Begins to fetch keys that are missing or old. @returns why the last fetch failed; undefined if it succeeded */
  problem?(): string | undefined;
};

/** The algorithms depend on the configuration, never on the token (RFC 8725, section 3.1). */
export function openKeys(env: KeySettings): Keys {
  if (env.JWT_JWKS_URL !== undefined) return remoteKeys(new URL(env.JWT_JWKS_URL));
  if (env.JWT_PUBLIC_KEY !== undefined) return constantKeys(publicKeysIn(env.JWT_PUBLIC_KEY));
  // jsonwebtoken first tries to parse a string as a public key, for every token.
  return constantKeys(secretsIn(env.JWT_SECRET ?? '').map((secret) => createSecretKey(Buffer.from(secret))));
}

/** How long fetched keys are used, and then tokens that were verified with them: eleven minutes together. */
const FETCHED_MS = 600_000;
export const REMEMBERED_MS = 60_000;

function constantKeys(keys: KeyObject[]): Keys {
  const algorithms = [...new Set(keys.map(algorithmOf))];
  const find = ({ alg }: TokenHeader): Promise<KeyObject[]> => Promise.resolve(keys.filter((key) => algorithmOf(key) === alg));
  return { algorithms, find, onFetch: () => undefined };
}

function algorithmOf({ type, asymmetricKeyType }: KeyObject): string {
  if (type === 'secret') return 'HS256';
  return asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256';
}

const UNREACHABLE =
  'the key server (JWT_JWKS_URL) does not return its keys: correct the URL, or permit the connection; ' +
  'behind an egress proxy, set HTTPS_PROXY and NODE_USE_ENV_PROXY=1';

/** Pause after a failed fetch, so that not every request waits for an unavailable key server. */
const RETRY_FETCH_AFTER_MS = 5_000;

// An unknown key id causes at most one fetch per 30 s. After FETCHED_MS, keys that the server has removed expire.
function remoteKeys(url: URL): Keys {
  const listeners: (() => void)[] = [];
  let hasFetched = false;
  const fetchKeys: FetchImplementation = (...request) => fetchWithinLimits(...request).finally(() => (hasFetched = true));
  const options = { timeoutDuration: storeTimeout(1_500), cooldownDuration: 30_000, cacheMaxAge: FETCHED_MS, [customFetch]: fetchKeys };
  const remote = createRemoteJWKSet(url, options);
  let nextFetchMs = 0;
  let hasFailed = false;
  const find = async (header: TokenHeader): Promise<KeyObject> =>
    toStrongKey(await findRemote(header).catch((error: unknown) => findInLastCopy(remote.jwks(), error, header)));

  async function findRemote(header: TokenHeader) {
    if (performance.now() < nextFetchMs) throw new Error('the previous fetch of the JWKS failed');
    return remote(header, {} as FlattenedJWSInput)
      .catch((error: unknown) => {
        if (!isTokenError(error)) noteFailure();
        throw error;
      })
      .finally(reportFetch);
  }

  function noteFailure(): void {
    nextFetchMs = performance.now() + RETRY_FETCH_AFTER_MS;
    hasFailed = true;
  }

  function problem(): string | undefined {
    if (remote.fresh) hasFailed = false;
    else if (!remote.reloading && performance.now() >= nextFetchMs) void remote.reload().catch(noteFailure).finally(reportFetch);
    return hasFailed ? UNREACHABLE : undefined;
  }

  // After the fetched keys have replaced the previous ones.
  function reportFetch(): void {
    if (!hasFetched) return;
    hasFetched = false;
    for (const listener of listeners) listener();
  }
  return { algorithms: ['RS256', 'ES256'], find, onFetch: (listener) => void listeners.push(listener), problem };
}

/** What the provider may send: its metadata, or its keys with their certificates. */
export const PROVIDER_LIMITS = { bytes: 262_144, values: 10_000, strings: 10_000 };

const fetchWithinLimits: FetchImplementation = async (...request) => {
  const response = await fetch(...request);
  return response.ok ? new Response(await readJsonText(response, PROVIDER_LIMITS)) : response;
};

/** While the key server is unavailable, the keys of the last fetched JWKS remain valid. */
async function findInLastCopy(lastCopy: JSONWebKeySet | undefined, error: unknown, header: TokenHeader) {
  if (isTokenError(error)) throw error;
  if (!lastCopy) throw new KeysUnavailable('the JWKS could not be fetched', { cause: error });
  return createLocalJWKSet(lastCopy)(header).catch((cause: unknown) => {
    if (isAmbiguous(cause)) throw cause;
    throw new KeysUnavailable('the JWKS could not be fetched, and its last copy does not contain the key', { cause });
  });
}

function toStrongKey(found: CryptoKey | KeyObject): KeyObject {
  const key = found instanceof KeyObject ? found : KeyObject.from(found);
  if (!isStrong(key)) throw new Error('the JWKS key of this token is too weak');
  return key;
}

function isTokenError(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || isAmbiguous(error);
}

// The token has no key id, and several keys match.
function isAmbiguous(error: unknown): boolean {
  return error instanceof errors.JWKSMultipleMatchingKeys;
}
