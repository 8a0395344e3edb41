import { SignJWT, type JWTPayload } from 'jose';

export const SECRET = 'a-secret-of-the-tests-with-32-bytes-at-least';

export function inOneHour(): number {
  return Math.floor(Date.now() / 1_000) + 3_600;
}

/** Signs any claims, including invalid ones. */
export function sign(
  claims: JWTPayload,
  { alg = 'HS256', secret = SECRET, header = {} }: { alg?: string; secret?: string; header?: object } = {},
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, ...header }).sign(new TextEncoder().encode(secret));
}

/** A service that creates users from tokens needs one. */
export const ISSUER = 'https://tests.test/';

const tokens = new Map<string, Promise<string>>();

/** A token of a user has the same text for ten minutes: signing one takes as long as a small request. */
export function tokenOf(userId: number, claims: JWTPayload = {}): Promise<string> {
  const key = JSON.stringify([userId, claims, Math.floor(Date.now() / 600_000)]);
  const token = tokens.get(key) ?? sign({ iss: ISSUER, sub: String(userId), exp: inOneHour(), ...claims });
  tokens.set(key, token);
  return token;
}
