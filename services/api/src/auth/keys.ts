import { createLocalJWKSet, createRemoteJWKSet, errors, type FlattenedJWSInput, type JWSHeaderParameters } from 'jose';
import { createPublicKey, KeyObject } from 'node:crypto';
import type { ApiEnv } from '../env.ts';
import { isStrong } from './public-key.ts';

/** The keys that tokens are checked with can't be fetched right now. That says nothing about the token. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

export type TokenHeader = JWSHeaderParameters & { alg: string };
export type Keys = { algorithms: string[]; find(header: TokenHeader): Promise<KeyObject | string> };

/** The key and the algorithms that go with it; the algorithm is never the token's choice. */
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

/** After a failure nothing is fetched for a while: requests are not to wait, each for itself, for a key server that is away. */
const REST_MS = 5_000;

// Once keys were fetched, an unknown key id makes at most one request in 30 s. Keys are fetched anew every 10 minutes, so that withdrawn ones go.
function remoteKeys(url: URL): Keys {
  const remote = createRemoteJWKSet(url, { timeoutDuration: 1_500, cooldownDuration: 30_000, cacheMaxAge: 600_000 });
  let restingUntil = 0;
  const find = async (header: TokenHeader): Promise<KeyObject> => {
    const found = await askRemote(header).catch((error: unknown) => lastKnown(error, header));
    const key = found instanceof KeyObject ? found : KeyObject.from(found);
    if (!isStrong(key)) throw new Error('the key that the JWKS has for this token is too weak');
    return key;
  };

  async function askRemote(header: TokenHeader) {
    if (performance.now() < restingUntil) throw new Error('the JWKS could not be fetched a moment ago');
    return remote(header, {} as FlattenedJWSInput).catch((error: unknown) => {
      if (!isTokensFault(error)) restingUntil = performance.now() + REST_MS;
      throw error;
    });
  }

  // A key that was good when the key server was last seen stays good while it is away.
  async function lastKnown(error: unknown, header: TokenHeader) {
    if (isTokensFault(error)) throw error;
    const known = remote.jwks();
    if (!known) throw new KeysUnavailable('the JWKS could not be fetched', { cause: error });
    return createLocalJWKSet(known)(header).catch((cause: unknown) => {
      if (isAmbiguous(cause)) throw cause;
      throw new KeysUnavailable('the JWKS could not be fetched, and its last copy lacks the key', { cause });
    });
  }
  return { algorithms: ['RS256', 'ES256'], find };
}

function isTokensFault(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || isAmbiguous(error);
}

// A token without a key id, and several keys it could be meant for: its own fault.
function isAmbiguous(error: unknown): boolean {
  return error instanceof errors.JWKSMultipleMatchingKeys;
}
