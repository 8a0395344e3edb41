import { embeddingsFields } from '@ugc/shared/embeddings/embeddings-env';
import { integer, storeEnv } from '@ugc/shared/config/env';
import { uploadLimitFields } from '@ugc/items/fields/limits';
import { tracingFields } from '@ugc/shared/tracing/start-tracing';
import { z } from 'zod';
import { pageFields } from './page-settings/page-fields.ts';
import { createPublicKey, type KeyObject } from 'node:crypto';

const port = (fallback: number) => integer(0, 65_535, fallback);
const optional = (description: string) => z.string().optional().describe(description);
const flag = (byDefault: boolean, description: string) =>
  z
    .enum(['true', 'false'])
    .default(byDefault ? 'true' : 'false')
    .transform((value) => value === 'true')
    .describe(description);
/** Separated by commas or blanks. */
const list = (isValid: (text: string) => boolean, problem: string) =>
  z
    .string()
    .optional()
    .transform((value = '') => value.split(/[\s,]+/).filter((each) => each !== ''))
    .refine((all) => all.every(isValid), problem);

const publicKey = z.string().transform(toPem).refine(isStrongPem, 'must be a PEM-encoded RSA key of at least 2048 bits or EC key on P-256');
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

export const tokenFields = {
  JWT_SECRET: z
    .string()
    .refine((value) => secretsIn(value).every((secret) => Buffer.byteLength(secret) >= 32), 'must have at least 32 bytes')
    .optional()
    .describe(
      'shared secret for HS256, at least 32 bytes, or several in lines of their own: the first one signs. ' +
        'Exactly one of JWT_SECRET, JWT_PUBLIC_KEY and JWT_JWKS_URL is required',
    ),
  JWT_PUBLIC_KEY: publicKey
    .optional()
    .describe('public key in PEM, for RS256 or ES256 depending on the key type, or several after each other'),
  JWT_JWKS_URL: httpUrl.optional().describe('URL of a JWKS with keys for RS256 or ES256'),
  JWT_ISSUER: z
    .string()
    .refine((issuer) => !issuer.includes('|'), 'must not contain |')
    .optional()
    .describe('required `iss` claim; not checked if unset. USERS_FROM_TOKENS needs it'),
  JWT_AUDIENCE: optional('required `aud` claim; not checked if unset'),
  JWT_AUDIENCE_CLAIM: z.string().default('aud').describe('claim that must contain JWT_AUDIENCE; Cognito uses `client_id`'),
  JWT_USER_CLAIM: z
    .string()
    .default('sub')
    .describe('claim that contains the user id, or the subject in the credential `issuer|subject` of the user'),
  JWT_SCOPE_CLAIM: z
    .string()
    .default('scope')
    .describe('claim that contains the scopes, as a text with blanks or a list; Entra ID uses `roles`, Auth0 `permissions`'),
  USERS_FROM_TOKENS: flag(
    false,
    'whether a subject without a user becomes a user at the first write, with the name that the tokens contain',
  ),
  JWT_SUBJECTS_ARE_USER_IDS: z
    .enum(['true', 'false'])
    .optional()
    .transform((value) => value && value === 'true')
    .describe('whether a subject that is a positive integer is the id of a user; unset: unless USERS_FROM_TOKENS is `true`'),
  JWT_NAME_CLAIM: z.string().default('name').describe('claim that contains the name of the user; only with USERS_FROM_TOKENS'),
  JWT_REQUIRE_EXPIRY: flag(true, 'whether tokens without `exp` are invalid'),
};

const signInFields = {
  OIDC_CLIENT_ID: z
    .string()
    .min(1)
    .optional()
    .describe('id of a public client at the provider, with which users of the web page sign in; it needs JWT_ISSUER and JWT_JWKS_URL'),
  OIDC_SCOPE: z
    .string()
    .refine((scope) => scope.split(' ').includes('openid'), 'must contain openid')
    .default('openid profile')
    .describe('scopes that the web page asks for, separated by blanks; some providers issue refresh tokens for `offline_access` only'),
};

const perMinute = (what: string, more = '') => integer(0, 10_000_000, 0).describe(`maximum ${what} per minute${more}; 0 means no limit`);

const trafficFields = {
  RATE_LIMIT_WRITES_PER_MINUTE: perMinute('uploads and other writes of one user'),
  RATE_LIMIT_LISTS_PER_MINUTE: perMinute('lists of one user', ', and a tenth of the maximum requests for suggestions'),
  RATE_LIMIT_READS_PER_MINUTE: perMinute('other reads of one user'),
  RATE_LIMIT_FAILED_TOKENS_PER_MINUTE: perMinute('requests without a valid token from one client network (IPv4 address or IPv6 /64)'),
  PUBLIC_URL: httpUrl
    .optional()
    .describe('URL under which clients reach the service; a path in it, which a proxy removes, begins `Location`'),
  TRUST_PROXY: integer(0, 10, 0).describe('number of trusted proxies that set X-Forwarded-For; 0 uses the address of the connection'),
  CORS_ORIGINS: list(isOrigin, 'must be a comma-separated list of origins such as https://app.example.com').describe(
    'origins of web pages that may send requests, separated by commas',
  ),
  SHUTDOWN_DELAY_MS: integer(0, 60_000, 0).describe(
    'for how long the API still responds after SIGTERM, with 503 from /health/ready, so that load balancers notice it, in milliseconds',
  ),
  CONNECTIONS_MAX: integer(10, 100_000, 1_000).describe('maximum number of open connections of one API process; further ones are dropped'),
  UPLOADS_IN_FLIGHT_MAX_BYTES: integer(1_024, 17_179_869_184, 67_108_864).describe(
    'maximum total size of request bodies in one API process, in bytes; further ones wait for 50 s at most',
  ),
};

const limitFields = {
  ...uploadLimitFields,
  PAGE_MAX_SIZE: integer(1, 1_000, 200).describe('maximum number of items on a page'),
  PAGE_MAX_BYTES: integer(1_048_576, 268_435_456, 33_554_432).describe(
    'maximum size of the search response for one page, in bytes; one API process holds four of this size, and two of it that one user does not read',
  ),
  LIST_TIMEOUT_MS: integer(500, 60_000, 3_000).describe(
    'maximum time of all searches for one list, facets or suggestions, in milliseconds; then the response is 500, or 429 if it was waiting',
  ),
};

const fields = storeEnv.extend({
  PORT: port(3000).describe('port of the API'),
  OPERATIONS_PORT: port(9464).describe(
    "port for the operators' page, /metrics and /health/live; must not be reachable from public networks",
  ),
  OPERATIONS_HOSTS: list(isHostName, 'must be a comma-separated list of host names without ports, such as operations.example.com').describe(
    "host names under which the operators' page may be opened besides localhost, 127.0.0.1 and [::1], separated by commas",
  ),
  WEB_PAGE: flag(true, 'whether the API serves the web page at `/`'),
  ...pageFields,
  SYNONYMS_FILE: optional(
    'file with synonyms that prompts are searched with, such as `gba, game boy advance`; it is read at the start only',
  ),
  DOWNLOADS_COUNT: z
    .enum(['all', 'users'], { error: 'must be all or users' })
    .default('all')
    .describe(
      'which downloads clients read, sort by and filter by: `all`, or those by `users`, of which each counts once for an item and day; lists follow once the index was built by 1.1.0',
    ),
  NEW_ITEMS: z
    .enum(['public', 'review'])
    .default('public')
    .describe(
      'with `review`, a moderator publishes what users without the scope `content:publish` upload; items that are public already stay so',
    ),
  SEARCH_INSIGHTS: flag(
    false,
    'whether prompts that find nothing or are corrected are counted; operators see those of at least five users',
  ),
  DATABASE_POOL_SIZE: integer(2, 500, 20).describe('maximum number of PostgreSQL connections of one API process'),
  PENDING_CHANGES_PER_INDEXER: integer(1, 10_000_000, 20_000).describe(
    'for how many pending changes `ugc_indexers_wanted` asks for one indexer',
  ),
  INDEXERS_MAX: integer(1, 100, 3).describe('maximum of `ugc_indexers_wanted`; one more than Elasticsearch has data nodes is enough'),
  ...tokenFields,
  ...signInFields,
  ...trafficFields,
  ...limitFields,
  ...embeddingsFields,
  ...tracingFields,
});

export const ApiEnv = fields
  .refine(hasOneKey, { path: ['JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL'], error: 'exactly one of these must be set' })
  .refine((env) => !env.USERS_FROM_TOKENS || env.JWT_ISSUER !== undefined, {
    path: ['JWT_ISSUER'],
    error: 'must be set with USERS_FROM_TOKENS: otherwise users of any issuer that the keys verify are created',
  })
  .refine((env) => env.OIDC_CLIENT_ID === undefined || (isHttpUrl(env.JWT_ISSUER) && env.JWT_JWKS_URL !== undefined), {
    path: ['OIDC_CLIENT_ID'],
    error: 'needs JWT_JWKS_URL, and the URL of the provider in JWT_ISSUER',
  })
  .refine((env) => env.UPLOADS_IN_FLIGHT_MAX_BYTES >= env.BODY_MAX_BYTES, {
    path: ['UPLOADS_IN_FLIGHT_MAX_BYTES'],
    error: 'must be at least BODY_MAX_BYTES',
  });
export type ApiEnv = z.infer<typeof ApiEnv>;

/** @returns the path under which clients reach the service: empty, or such as `/ugc` if a proxy removes it */
export function publicPathOf({ PUBLIC_URL: url }: Pick<ApiEnv, 'PUBLIC_URL'>): string {
  return url === undefined ? '' : new URL(url).pathname.replace(/\/+$/, '');
}

/** What an import reads. */
export const ImportEnv = storeEnv.pick({ DATABASE_URL: true }).extend(uploadLimitFields);

/** A map of an import must not name accounts of this issuer. */
export const MapEnv = z.object({ JWT_ISSUER: tokenFields.JWT_ISSUER });

export type Limits = Pick<ApiEnv, keyof typeof limitFields>;

export const PROMPT_MAX_CHARACTERS = 1_000;

function hasOneKey(env: z.infer<typeof fields>): boolean {
  return [env.JWT_SECRET, env.JWT_PUBLIC_KEY, env.JWT_JWKS_URL].filter((value) => value !== undefined).length === 1;
}

function isHttpUrl(text = ''): boolean {
  return httpUrl.safeParse(text).success;
}

function isHostName(text: string): boolean {
  const url = /^[a-z\d.:[\]-]+$/i.test(text) ? URL.parse(`http://${text}`) : null;
  return url?.hostname === text.toLowerCase();
}

function isOrigin(text: string): boolean {
  return URL.parse(text)?.origin === text;
}

/** Whether a key is suitable for RS256 (RSA with at least 2048 bits; RFC 7518, section 3.3) or ES256 (EC on P-256). */
export function isStrong({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) >= 2_048;
  return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

/** While secrets are rotated there are several. */
export function secretsIn(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== '');
}

/** While keys are rotated there are several. */
export function publicKeysIn(text: string): KeyObject[] {
  return (text.match(ALL_PEM) ?? [text]).map((pem) => createPublicKey(pem));
}

function isStrongPem(text: string): boolean {
  try {
    return publicKeysIn(text).every(isStrong);
  } catch {
    return false;
  }
}

const ALL_PEM = /-----BEGIN ([A-Z ]+)-----[^-:]+-----END \1-----/g;
const PEM = new RegExp(ALL_PEM.source.replace('[^-:]+', '([^-:]+)'));

/** A PEM whose line ends are blanks, CRLF or the characters `\n`, as values of environment variables often have them. */
function toPem(text: string): string {
  const withLines = text.replaceAll(/\\r|\\n/g, '\n');
  return withLines.match(ALL_PEM)?.map(toLines).join('') ?? withLines;
}

function toLines(pem: string): string {
  const [, label, body = ''] = PEM.exec(pem) ?? [];
  const lines = body.replaceAll(/\s/g, '').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
