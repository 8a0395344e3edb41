import type { SignInSettings } from '@ugc/shared/contracts/sign-in';
import type { Said } from '../messages/texts.ts';
import { decodeClaims } from '../page/token/claims.ts';

export const NO_PROVIDER: Said = ['noProvider'];
export const STILL_VALID: Said = ['stillValid'];
export const SIGNED_OUT_HERE: Said = ['signedOutHere'];
export const FOREIGN: Said = ['foreignAnswer'];
export const OTHER_ISSUER: Said = ['otherIssuer'];
export const describeOrigin = (origin: string): Said => ['originRefused', { origin }];
export const NOT_SECURE: Said = ['notSecure'];
const MAX_CHARACTERS = 200;

/** What is read of the errors of oauth4webapi, and of those of the browser, whose codes are numbers. */
type OAuthError = { name?: string; code?: unknown; error?: string; error_description?: string; status?: number; message?: string };

/** The answers of a provider that may not ask the user (OpenID Connect Core, section 3.1.2.6). */
const NEEDS_USER = ['login_required', 'interaction_required', 'consent_required', 'account_selection_required'];

export function needsUser({ error = '' }: OAuthError): boolean {
  return NEEDS_USER.includes(error);
}

/** Whether the provider will never accept this refresh token; otherwise the same request may succeed later. */
export function isRefusal({ code, status }: OAuthError): boolean {
  return code === 'OAUTH_RESPONSE_BODY_ERROR' && (status === 400 || status === 401);
}

export function isTimeout({ name }: OAuthError): boolean {
  return name === 'TimeoutError';
}

/** @returns undefined if there was no response */
export function describeFailure(failure: OAuthError): Said | undefined {
  const { code, error = '', error_description: description = error, message = '' } = failure;
  const text = cut(description);
  if (error === 'access_denied') return description === error ? ['denied'] : ['deniedSays', { text }];
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') return ['providerSays', { text }];
  if (code === 'OAUTH_RESPONSE_BODY_ERROR') return ['signInRefused', { text }];
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return ['wrongClock'];
  if (typeof code !== 'string') return undefined;
  return ['invalidAnswer', { text: cut(message) }];
}

function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/**
 * Why the page cannot read a token that the provider has issued. The reason is for the operator, whose settings it names: it
 * is in English.
 * @param userClaim the name of the claim that identifies the user
 */
export function describeUnreadable(token: string, userClaim: string, { audience }: SignInSettings): Said {
  if (decodeClaims(token)) return ['namesNoUser', { reason: `it has no claim ${userClaim} (JWT_USER_CLAIM).` }];
  const setting = audience === undefined ? 'JWT_AUDIENCE is not set' : `the provider knows no API ${audience} (JWT_AUDIENCE)`;
  return ['isNoJwt', { reason: `${setting}.` }];
}

/** Why the API may have refused a token that the provider has just issued: for the operator, too. */
export function describeRefused(token: string, issuer: string, { audience }: SignInSettings): Said {
  const { iss, aud } = decodeClaims(token) ?? {};
  const audiences = [aud].flat();
  return ['notAccepted', { reason: reason() }];
  function reason(): string {
    if (iss !== issuer) return `JWT_ISSUER is ${issuer}, and the token is of ${String(iss)}.`;
    if (audience === undefined || audiences.includes(audience)) return 'the keys of JWT_JWKS_URL do not verify it, or its times are wrong.';
    return `JWT_AUDIENCE is ${audience}, and the token is for ${audiences.join(', ') || 'nobody'} (JWT_AUDIENCE, JWT_AUDIENCE_CLAIM).`;
  }
}
