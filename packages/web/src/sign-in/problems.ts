import type { SignInSettings } from '@ugc/shared/contracts/sign-in';
import { decodeClaims } from '../page/token/claims.ts';

export const NO_PROVIDER = 'The sign-in service does not respond. Try again later, or use a token.';
export const STILL_VALID = 'The sign-in service does not respond. You can go on until your sign-in ends.';
export const SIGNED_OUT_HERE = 'You are signed out here. The sign-in service does not respond: there you may still be signed in.';
export const FOREIGN = 'This address belongs to another sign-in, or was used before. Nothing was sent. Sign in again.';
export const OTHER_ISSUER = 'The answer came from another sign-in service than that of this page. Nothing was sent. Sign in again.';
export const describeOrigin = (origin: string): string =>
  `The sign-in service does not accept requests of this page. Tell whoever operates the service: the provider must allow the origin ${origin}.`;
export const NOT_SECURE = 'Signing in needs an address that begins with https. Ask whoever operates the service, or use a token.';
const DENIED = 'You are not signed in: you did not agree, or the sign-in service does not let you in.';
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
export function describeFailure(failure: OAuthError): string | undefined {
  const { code, error = '', error_description: description = error, message = '' } = failure;
  if (error === 'access_denied') return `${DENIED}${description === error ? '' : ` It says: ${cut(description)}`}`;
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') return `You are not signed in. The sign-in service says: ${cut(description)}`;
  if (code === 'OAUTH_RESPONSE_BODY_ERROR') return `The sign-in service refused the sign-in: ${cut(description)}. Sign in again.`;
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return 'You are not signed in, because the clock of this device is wrong.';
  if (typeof code !== 'string') return undefined;
  return `You are not signed in. The answer of the sign-in service is not valid: ${cut(message)}.`;
}

function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

const OPERATOR = 'Tell whoever operates the service:';

/** Why the page cannot read a token that the provider has issued. @param userClaim the name of the claim that identifies the user */
export function describeUnreadable(token: string, userClaim: string, { audience }: SignInSettings): string {
  if (decodeClaims(token))
    return `The token of the sign-in service names no user. ${OPERATOR} it has no claim ${userClaim} (JWT_USER_CLAIM).`;
  const setting = audience === undefined ? 'JWT_AUDIENCE is not set' : `the provider knows no API ${audience} (JWT_AUDIENCE)`;
  return `The sign-in service issued a token that is no JWT, which this service cannot read. ${OPERATOR} ${setting}.`;
}

/** Why the API may have refused a token that the provider has just issued. */
export function describeRefused(token: string, issuer: string, { audience }: SignInSettings): string {
  const { iss, aud } = decodeClaims(token) ?? {};
  const audiences = [aud].flat();
  return `The service does not accept the token of the sign-in service. ${OPERATOR} ${reason()}`;
  function reason(): string {
    if (iss !== issuer) return `JWT_ISSUER is ${issuer}, and the token is of ${String(iss)}.`;
    if (audience === undefined || audiences.includes(audience)) return 'the keys of JWT_JWKS_URL do not verify it, or its times are wrong.';
    return `JWT_AUDIENCE is ${audience}, and the token is for ${audiences.join(', ') || 'nobody'} (JWT_AUDIENCE, JWT_AUDIENCE_CLAIM).`;
  }
}
