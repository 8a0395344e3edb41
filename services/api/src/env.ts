import { integer, storeEnv } from '@ugc/shared/env';
import { createPublicKey } from 'node:crypto';
import { z } from 'zod';

const port = (fallback: number) => integer(0, 65_535, fallback);
const optional = (what: string) => z.string().optional().describe(what);

const publicKey = z.string().refine(isPublicKey, 'is not a PEM-encoded RSA key of at least 2048 bits or EC key on P-256');
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
};

const fields = storeEnv.extend({
  PORT: port(3000).describe("the API's port"),
  OPERATIONS_PORT: port(9464).describe('port for /metrics and /health/live; keep it off the public network'),
  DATABASE_POOL_SIZE: integer(2, 500, 20).describe('most PostgreSQL connections of one API process'),

  ...tokenFields,

  NAME_MAX_CHARACTERS: integer(1, 1_000, 200).describe("most characters of an item's name"),
  DESCRIPTION_MAX_CHARACTERS: integer(0, 100_000, 10_000).describe('most characters of a description'),
  DATA_MAX_CHARACTERS: integer(0, 4_194_304, 262_144).describe('most characters of `data`'),
  TAGS_MAX: integer(0, 256, 32).describe('most tags of an item'),
  TAG_MAX_CHARACTERS: integer(1, 200, 64).describe('most characters of a tag'),
  THUMBNAIL_MAX_BYTES: integer(1, 16_777_216, 524_288).describe('most bytes of a thumbnail, decoded'),
  THUMBNAIL_MAX_SIDE: integer(1, 16_384, 4_096).describe("most pixels of a thumbnail's width and height"),
  BODY_MAX_BYTES: integer(1_024, 67_108_864, 2_097_152).describe('most bytes of a request body'),
  PAGE_MAX_SIZE: integer(1, 1_000, 200).describe('most items of a page'),
  PROMPT_MAX_CHARACTERS: integer(1, 10_000, 1_000).describe('most characters of a prompt'),
});

/** Everything that configures the API. */
export const ApiEnv = fields.refine(hasOneKey, {
  path: ['JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL'],
  error: 'exactly one of them must be set',
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
  | 'PROMPT_MAX_CHARACTERS'
>;

function hasOneKey(env: z.infer<typeof fields>): boolean {
  return [env.JWT_SECRET, env.JWT_PUBLIC_KEY, env.JWT_JWKS_URL].filter((value) => value !== undefined).length === 1;
}

function isPublicKey(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey(pem);
    if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) >= 2_048;
    return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}
