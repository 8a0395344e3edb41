import { integer, storeEnv } from '@ugc/shared/process/env';
import { z } from 'zod';
import { isStrongPem } from './auth/public-key.ts';

const port = (fallback: number) => integer(0, 65_535, fallback);
const optional = (what: string) => z.string().optional().describe(what);

const publicKey = z.string().refine(isStrongPem, 'is not a PEM-encoded RSA key of at least 2048 bits or EC key on P-256');
const httpUrl = z.url({ protocol: /^https?$/, error: 'is not an http(s) URL' });

/** How tokens are checked. */
export const tokenFields = {
  JWT_SECRET: z
    .string()
    .refine((value) => Buffer.byteLength(value) >= 32, 'is shorter than 32 bytes')
    .optional()
    .describe('shared secret of at least 32 bytes; tokens are HS256. Exactly one of the three key settings is needed'),
  JWT_PUBLIC_KEY: publicKey.optional().describe('PEM; tokens are RS256 or ES256, as the key is'),
  JWT_JWKS_URL: httpUrl.optional().describe('JWKS to fetch keys from; tokens are RS256 or ES256'),
  JWT_ISSUER: optional('the `iss` a token must have, if set'),
  JWT_AUDIENCE: optional('the `aud` a token must have, if set'),
  JWT_USER_CLAIM: z.string().default('sub').describe("the claim that holds the user's id"),
  JWT_REQUIRE_EXPIRY: z
    .enum(['true', 'false'])
    .default('true')
    .transform((value) => value === 'true')
    .describe('refuse tokens without `exp`'),
  JWT_CLOCK_TOLERANCE_SECONDS: integer(0, 600, 60).describe(
    'how far ahead `nbf` and `iat` may be, for clocks that differ; `exp` has no tolerance',
  ),
};

const perMinute = (what: string) => integer(0, 10_000_000, 0).describe(`${what} in a minute; 0 for no limit`);

/** How much callers may do, and from where. */
const trafficFields = {
  RATE_LIMIT_WRITES_PER_MINUTE: perMinute('most uploads and other changes of one user'),
  RATE_LIMIT_LISTS_PER_MINUTE: perMinute('most lists that one user asks for'),
  RATE_LIMIT_READS_PER_MINUTE: perMinute('most other reads of one user'),
  RATE_LIMIT_FAILED_TOKENS_PER_MINUTE: perMinute('most requests without a valid token from one address'),
  TRUST_PROXY: integer(0, 10, 0).describe(
    "how many proxies are in front, whose X-Forwarded-For is believed; 0 takes the connection's address",
  ),
  CORS_ORIGINS: z
    .string()
    .optional()
    .transform((value = '') => value.split(/[\s,]+/).filter((origin) => origin !== ''))
    .refine((origins) => origins.every(isOrigin), 'is not a list of origins such as https://app.example.com, separated by commas')
    .describe('origins of the web pages that may call, separated by commas'),
  CONNECTIONS_MAX: integer(10, 100_000, 1_000).describe('most open connections of one API process; further ones are dropped'),
  UPLOADS_IN_FLIGHT_MAX_BYTES: integer(1_024, 17_179_869_184, 67_108_864).describe(
    'most bytes of request bodies that one API process works on at a time; further ones are answered 503',
  ),
  LISTS_IN_FLIGHT_MAX_BYTES: integer(1_048_576, 17_179_869_184, 134_217_728).describe(
    'maximum bytes of search answers that one API process receives and makes into pages at a time; further lists are answered 429',
  ),
  UNREAD_ANSWERS_MAX_BYTES: integer(1_048_576, 17_179_869_184, 134_217_728).describe(
    'once so many bytes of answers wait to be read by one user, further requests are answered 429',
  ),
};

const fields = storeEnv.extend({
  PORT: port(3000).describe("the API's port"),
  OPERATIONS_PORT: port(9464).describe('port for /metrics and /health/live; keep it off the public network'),
  DATABASE_POOL_SIZE: integer(2, 500, 20).describe('most PostgreSQL connections of one API process'),

  ...tokenFields,

  ...trafficFields,

  NAME_MAX_CHARACTERS: integer(1, 1_000, 200).describe("most characters of an item's name"),
  DESCRIPTION_MAX_CHARACTERS: integer(0, 100_000, 10_000).describe('most characters of a description'),
  DATA_MAX_CHARACTERS: integer(0, 4_194_304, 262_144).describe('most characters of `data`'),
  TAGS_MAX: integer(0, 256, 32).describe('most tags of an item'),
  TAG_MAX_CHARACTERS: integer(1, 200, 64).describe('most characters of a tag'),
  THUMBNAIL_MAX_BYTES: integer(1, 16_777_216, 524_288).describe('most bytes of a thumbnail, decoded'),
  THUMBNAIL_MAX_SIDE: integer(1, 16_384, 4_096).describe("most pixels of a thumbnail's width and height"),
  BODY_MAX_BYTES: integer(1_024, 67_108_864, 2_097_152).describe('most bytes of a request body'),
  PAGE_MAX_SIZE: integer(1, 1_000, 200).describe('most items of a page'),
  PAGE_MAX_BYTES: integer(1_048_576, 268_435_456, 33_554_432).describe('most bytes of a page, as the search engine answers it'),
  PROMPT_MAX_CHARACTERS: integer(1, 10_000, 1_000).describe('most characters of a prompt'),
});

/** Everything that configures the API. */
export const ApiEnv = fields
  .refine(hasOneKey, {
    path: ['JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL'],
    error: 'exactly one of them must be set',
  })
  .refine((env) => env.UPLOADS_IN_FLIGHT_MAX_BYTES >= env.BODY_MAX_BYTES, {
    path: ['UPLOADS_IN_FLIGHT_MAX_BYTES'],
    error: 'is less than BODY_MAX_BYTES, so the largest body could never be taken',
  });
export type ApiEnv = z.infer<typeof ApiEnv>;

/** The limits of what callers may send. */
export type Limits = Pick<
  ApiEnv,
  | 'NAME_MAX_CHARACTERS'
  | 'DESCRIPTION_MAX_CHARACTERS'
  | 'DATA_MAX_CHARACTERS'
  | 'TAGS_MAX'
  | 'TAG_MAX_CHARACTERS'
  | 'THUMBNAIL_MAX_BYTES'
  | 'THUMBNAIL_MAX_SIDE'
  | 'BODY_MAX_BYTES'
  | 'PAGE_MAX_SIZE'
  | 'PAGE_MAX_BYTES'
  | 'PROMPT_MAX_CHARACTERS'
>;

function hasOneKey(env: z.infer<typeof fields>): boolean {
  return [env.JWT_SECRET, env.JWT_PUBLIC_KEY, env.JWT_JWKS_URL].filter((value) => value !== undefined).length === 1;
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}
