import { z } from 'zod';
import { integer } from '../config/env.ts';

export const MAX_DIMENSIONS = 4_096;

const prefix = z
  .string()
  .max(500, 'must have at most 500 characters')
  .default('')
  .transform((value) => (value === '' ? '' : `${value} `));

/** The API and the indexers need the same values. */
export const embeddingsFields = {
  EMBEDDINGS_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL such as http://127.0.0.1:8080/v1' })
    .refine((url) => !hasCredentials(url), 'must not contain a user or a password; set EMBEDDINGS_API_KEY')
    .transform(toEndpoint)
    .optional()
    .describe(
      'URL of an embedding service with the OpenAI-compatible `/v1/embeddings`, which ranks by meaning; it receives every prompt and text. Unset: ranking by words',
    ),
  EMBEDDINGS_MODEL: z.string().max(200).default('all-minilm-l6-v2').describe('model that the embedding service is asked for'),
  EMBEDDINGS_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must contain only visible ASCII characters')
    .optional()
    .describe('API key of the embedding service, sent as a Bearer token'),
  EMBEDDINGS_DIMENSIONS: z.coerce
    .number({ error: 'must be a number' })
    .int('must be an integer')
    .min(1, 'must be at least 1')
    .max(MAX_DIMENSIONS, `must be at most ${MAX_DIMENSIONS}`)
    .optional()
    .describe('length of the vectors that the service is asked for; unset: the service decides'),
  EMBEDDINGS_QUERY_PREFIX: prefix.describe('what the model wants before a prompt, such as `query:`; a blank follows'),
  EMBEDDINGS_TEXT_PREFIX: prefix.describe('what the model wants before the text of an item, such as `passage:`; a blank follows'),
  EMBEDDINGS_TIMEOUT_MS: integer(50, 30_000, 300).describe(
    'how long a list waits for the vector of its prompt, in milliseconds, at most half of LIST_TIMEOUT_MS, and a sixth of it, at least 50, for those of its items; then it is ranked by words',
  ),
};

function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

const embeddingsEnv = z.object(embeddingsFields);
export type EmbeddingsEnv = z.infer<typeof embeddingsEnv>;

/** @param url the endpoint, the base URL that ends with `/v1`, or the address of the service */
function toEndpoint(url: string): string {
  const endpoint = new URL(url);
  const path = endpoint.pathname.replace(/\/+$/, '');
  if (path.endsWith('/embeddings')) endpoint.pathname = path;
  else endpoint.pathname = `${path.endsWith('/v1') ? path : `${path}/v1`}/embeddings`;
  return endpoint.href;
}
