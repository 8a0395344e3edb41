import { createLocalJWKSet, createRemoteJWKSet, errors, type FlattenedJWSInput, type JWSHeaderParameters } from 'jose';
import { createPublicKey, KeyObject } from 'node:crypto';
import type { ApiEnv } from '../env.ts';
import { isStrong } from '../strong-key.ts';

/** The keys that verify tokens cannot be fetched, so it is unknown whether the token is valid. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

export type TokenHeader = JWSHeaderParameters & { alg: string };
export type Keys = { algorithms: string[]; find(header: TokenHeader): Promise<KeyObject | string> };

/** The algorithms depend on the configuration, never on the token (RFC 8725, section 3.1). */
export function openKeys(env: Pick<ApiEnv, 'JWT_SECRET' | 'JWT_PUBLIC_KEY' | 'JWT_JWKS_URL'>): Keys {
  if (env.JWT_JWKS_URL !== undefined) return remoteKeys(new URL(env.JWT_JWKS_URL));
  if (env.JWT_PUBLIC_KEY !== undefined) return publicKey(env.JWT_PUBLIC_KEY);
  const secret = env.JWT_SECRET ?? '';
  return { algorithms: ['HS256'], find: () => Promise.resolve(secret) };
}

function publicKey(pem: string): Keys {
  const key = createPublicKey(pem);
  return { algorithms: [key.asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256'], find: () => Promise.resolve(key) };
}

/** Pause after a failed fetch, so that not every request waits for an unavailable key server. */
const RETRY_FETCH_AFTER_MS = 5_000;

// An unknown key id causes at most one fetch per 30 s. After 10 minutes, keys that the server has removed expire.
function remoteKeys(url: URL): Keys {
  const remote = createRemoteJWKSet(url, { timeoutDuration: 1_500, cooldownDuration: 30_000, cacheMaxAge: 600_000 });
  let nextFetchMs = 0;
  const find = async (header: TokenHeader): Promise<KeyObject> => {
    const found = await findRemote(header).catch((error: unknown) => findInLastCopy(error, header));
    const key = found instanceof KeyObject ? found : KeyObject.from(found);
    if (!isStrong(key)) throw new Error('the JWKS key of this token is too weak');
    return key;
  };

  async function findRemote(header: TokenHeader) {
    if (performance.now() < nextFetchMs) throw new Error('the previous fetch of the JWKS failed');
    return remote(header, {} as FlattenedJWSInput).catch((error: unknown) => {
      if (!isTokenError(error)) nextFetchMs = performance.now() + RETRY_FETCH_AFTER_MS;
      throw error;
    });
  }

  // While the key server is unavailable, the keys of the last fetched JWKS remain valid.
  async function findInLastCopy(error: unknown, header: TokenHeader) {
    if (isTokenError(error)) throw error;
    const lastCopy = remote.jwks();
    if (!lastCopy) throw new KeysUnavailable('the JWKS could not be fetched', { cause: error });
    return createLocalJWKSet(lastCopy)(header).catch((cause: unknown) => {
      if (isAmbiguous(cause)) throw cause;
      throw new KeysUnavailable('the JWKS could not be fetched, and its last copy does not contain the key', { cause });
    });
  }
  return { algorithms: ['RS256', 'ES256'], find };
}

function isTokenError(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || isAmbiguous(error);
}

// The token has no key id, and several keys match.
function isAmbiguous(error: unknown): boolean {
  return error instanceof errors.JWKSMultipleMatchingKeys;
}
