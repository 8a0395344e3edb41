/**
 * `account` tells users apart before the API is asked: issuer and subject. Only the API knows `userId` and `name`: subjects
 * that are numbers need not be user ids. `expiresAt` is in milliseconds since 1970.
 */
export type TokenUser = { account: string; subject: string; expiresAt: number | undefined; userId?: number; name?: string };

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
 * @param claim the name of the claim that contains the user id or the subject
 * @returns undefined if the text is not a token of a user
 */
export function readClaims(token: string, claim: string): TokenUser | undefined {
  const claims = decodeClaims(token) ?? {};
  const subject = claims[claim];
  if (!(Number(subject) > 0) && (typeof subject !== 'string' || typeof claims['iss'] !== 'string')) return undefined;
  return {
    account: `${String(claims['iss'])}|${String(subject)}`,
    subject: String(subject),
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
    return (JSON.parse(atob(base64)) as Record<string, unknown> | null) ?? undefined;
  } catch {
    return undefined;
  }
}
