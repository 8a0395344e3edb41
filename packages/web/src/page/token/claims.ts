/**
 * `account` tells users apart before the API is asked: issuer and subject. Only the API knows `userId`: subjects that are
 * numbers need not be user ids. `name` is that of the token until the API says another one. `expiresAt` is in milliseconds
 * since 1970.
 */
export type TokenUser = { account: string; subject: string; expiresAt: number | undefined; userId?: number; name: string | undefined };

/** The names of the claims with the user id or the subject, and with the name. */
type UserClaims = { userClaim: string; nameClaim: string };

/** Removes what people paste along with a token. */
export function trimToken(text: string): string {
  return text
    .trim()
    .replace(/^bearer\s+/i, '')
    .replace(/^["']|["']$/g, '');
}

/** The token of a fragment such as `#token=…`. */
export function tokenInFragment(fragment: string): string | undefined {
  return trimToken(new URLSearchParams(fragment.replace(/^#/, '')).get('token') ?? '') || undefined;
}

/**
 * Reads the claims without verifying them, which only the API can do.
 * @returns undefined if the text is not a token of a user
 */
export function readClaims(token: string, { userClaim, nameClaim }: UserClaims): TokenUser | undefined {
  const claims = decodeClaims(token) ?? {};
  const { [userClaim]: subject, [nameClaim]: name } = claims;
  if (!(Number(subject) > 0) && (typeof subject !== 'string' || typeof claims['iss'] !== 'string')) return undefined;
  return {
    account: `${String(claims['iss'])}|${String(subject)}`,
    subject: String(subject),
    name: typeof name === 'string' && name.trim() !== '' ? name : undefined,
    expiresAt: typeof claims['exp'] === 'number' ? claims['exp'] * 1_000 : undefined,
  };
}

/** Whether the token, which is not verified, has a scope. @param claim the name of the claim with the scopes */
export function hasScope(token: string | undefined, claim: string, scope: string): boolean {
  const scopes = decodeClaims(token ?? '')?.[claim];
  return (typeof scopes === 'string' ? scopes.split(' ') : Array.isArray(scopes) ? scopes : []).includes(scope);
}

/** @returns undefined if the text is no JWT */
export function decodeClaims(token: string): Record<string, unknown> | undefined {
  try {
    const base64 = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return (JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown> | null) ?? undefined;
  } catch {
    return undefined;
  }
}
