import { z } from 'zod';
import { redisAddressProblem, redisUrls } from './redis-address.ts';
import { elasticsearchAccessProblem, elasticsearchUrls, elasticsearchUrlsProblem, haveOneUser } from './elasticsearch-address.ts';
import { readValues } from '../environment/env-values.ts';
import { misspeltVariables } from '../environment/misspelt.ts';
import { POSTGRES_EXAMPLE, postgresUrlProblem, pinSslMode, sslModeWarning, withSslMode } from './postgres-address.ts';
import { ENCODING } from './address-problems.ts';
import { MAX_STORE_TIMEOUT_FACTOR } from '../timing/timeouts.ts';

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(problems: string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** EX_CONFIG of sysexits.h. */
const EXIT_CONFIGURATION = 78;

/**
 * An empty variable counts as unset. NAME_FILE names a file with the secret NAME. Values as in `readValues`. A name that is
 * probably a misspelt variable of any of the services is a warning.
 * STORE_TIMEOUT_FACTOR is checked with every schema, because `storeTimeout` reads it.
 * @throws ConfigurationError
 */
export function parseEnv<S extends z.ZodObject>(
  given: S,
  env: NodeJS.ProcessEnv,
  warn: (warning: string) => void = printOnce,
): z.output<S> {
  const schema = withTimeoutFactor(given);
  const { values, problems, warnings } = readValues(env, Object.keys(schema.shape));
  if (values['DATABASE_URL'] !== undefined) values['DATABASE_URL'] = withSslMode(values['DATABASE_URL'], env);
  const sslMode = sslModeWarning(values['DATABASE_URL'] ?? '');
  [...warnings, ...(sslMode === undefined ? [] : [sslMode]), ...misspeltVariables(env)].forEach(warn);
  const parsed = schema.safeParse(values);
  const issues = (parsed.error?.issues ?? []).map(({ path, message }) => ({ path: path.join('.') || 'configuration', message }));
  // The problem of a value explains the other problems of the same variable.
  const others = issues.filter(({ path }) => !path.split(', ').some((name) => problems.has(name)));
  const together = [redisAddressProblem(values), elasticsearchAccessProblem(values)].filter((problem) => problem !== undefined);
  const lines = [...problems.values(), ...others.map(({ path, message }) => `${path}: ${message}`), ...together];
  if (lines.length === 0 && parsed.success) return parsed.data;
  throw new ConfigurationError(lines);
}

function withTimeoutFactor<S extends z.ZodObject>(schema: S): S {
  if ('STORE_TIMEOUT_FACTOR' in schema.shape) return schema;
  return schema.extend({ STORE_TIMEOUT_FACTOR: storeEnv.shape.STORE_TIMEOUT_FACTOR }) as unknown as S;
}

export function readEnv<S extends z.ZodObject>(schema: S): z.output<S> {
  try {
    return parseEnv(schema, process.env);
  } catch (error) {
    return endIfInvalid(error);
  }
}

/** Ends the process if the configuration is not valid. @throws other errors */
export function endIfInvalid(error: unknown): never {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exit(EXIT_CONFIGURATION);
}

const printed = new Set<string>();

// Some commands read the configuration more than once.
function printOnce(warning: string): void {
  if (!printed.has(warning)) console.error(`Warning: ${warning}`);
  printed.add(warning);
}

/** @param problemOf returns what is wrong with the value */
const check =
  (problemOf: (value: string) => string | undefined) =>
  (value: string, ctx: z.RefinementCtx): void => {
    const message = problemOf(value);
    if (message !== undefined) ctx.addIssue({ code: 'custom', message });
  };

export const integer = (min: number, max: number, fallback: number) =>
  z.coerce
    .number({ error: `must be a number` })
    .int(`must be an integer`)
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`)
    .default(fallback);

const MAX_REPLICAS = 20;

function isReplicas(value: string): boolean {
  const [, min = '', max = min] = /^(\d|[1-9]\d)(?:-(\d|[1-9]\d))?$/.exec(value) ?? [];
  return min !== '' && Number(min) <= Number(max) && Number(max) <= MAX_REPLICAS;
}

const ELASTICSEARCH_EXAMPLE = 'http://127.0.0.1:9200';
const REDIS_EXAMPLE = 'redis://127.0.0.1:6379';

export const storeEnv = z.object({
  DATABASE_URL: z
    .string({ error: `is required, for example ${POSTGRES_EXAMPLE}` })
    .superRefine(check(postgresUrlProblem))
    .transform(pinSslMode)
    .describe('URL of PostgreSQL'),
  REDIS_URL: z
    .string({ error: `is required, for example ${REDIS_EXAMPLE}` })
    .refine((value) => redisUrls(value)?.every(({ protocol }) => ['redis:', 'rediss:'].includes(protocol)), {
      error: `must be a URL such as ${REDIS_EXAMPLE}, or with the hosts of sentinels, such as redis://sentinel-1,sentinel-2; ${ENCODING}`,
    })
    .describe('URL of Redis, or of its sentinels with commas between their hosts; its maxmemory-policy must be noeviction'),
  REDIS_SENTINEL_NAME: z
    .string()
    .optional()
    .describe(
      'name of the primary that the sentinels in REDIS_URL watch; user, password and database in REDIS_URL are those of the primary',
    ),
  REDIS_SENTINEL_PASSWORD: z.string().optional().describe('password of the sentinels themselves'),
  ELASTICSEARCH_URL: z
    .string({ error: `is required, for example ${ELASTICSEARCH_EXAMPLE}` })
    .refine((value) => elasticsearchUrls(value) !== undefined, {
      error: `must be a URL such as ${ELASTICSEARCH_EXAMPLE}, or several with commas between them; ${ENCODING}`,
      abort: true,
    })
    .refine(
      (value) => haveOneUser(elasticsearchUrls(value) ?? []),
      'must have the same user and password in each URL, or in the first only',
    )
    .superRefine(check(elasticsearchUrlsProblem))
    .describe('URL of Elasticsearch, or of OpenSearch 3.2 or newer; several nodes have commas between them'),
  ELASTICSEARCH_API_KEY: z
    .string()
    .regex(/^[\w+/=-]+$/, 'must be the encoded form of an API key, which Elasticsearch returns as "encoded"')
    .optional()
    .describe('API key of Elasticsearch, in its encoded form, in place of a user in the URL'),
  ELASTICSEARCH_CLIENT_CERT_FILE: z
    .string()
    .optional()
    .describe('path of a client certificate in PEM that Elasticsearch demands; it is read at the start only'),
  ELASTICSEARCH_CLIENT_KEY_FILE: z.string().optional().describe('path of the key of the client certificate, in PEM without a passphrase'),
  INDEX_SHARDS: integer(1, 1_024, 1).describe('number of shards of the index that the next rebuild creates'),
  INDEX_REPLICAS: z
    .string()
    .refine(isReplicas, 'must be a number of replicas from 0 to 20, such as 1, or a range such as 0-1')
    .default('0-1')
    .describe(
      'number of replicas of each shard, or a range such as `0-1`, which follows the number of data nodes; the next rebuild applies it',
    ),
  INDEX_REFRESH_INTERVAL: z
    .string()
    .regex(/^([1-9]\d{2,4}ms|[1-9]\d{0,2}s|[1-9]m)$/, 'must be a time from 100ms to 9m, such as 1s')
    .default('1s')
    .describe('how often changes become searchable, unless a request waits for its change; the next rebuild applies it'),
  INDEX_FILL_CONCURRENCY: integer(1, 16, 1).describe('number of ranges of items that a rebuild writes at the same time'),
  INDEX_DATA: z
    .enum(['true', 'false'])
    .default('true')
    .transform((value) => value === 'true')
    .describe('whether the index has `data` of the items; with `false`, lists read it from PostgreSQL; the next rebuild applies it'),
  CONTENT_ALIAS: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,99}$/, 'must start with a lower-case letter and contain only lower-case letters, digits and hyphens')
    .default('content')
    .describe('alias of the searched index; index names start with it'),
  QUEUE_PREFIX: z
    .string()
    .regex(
      /^(?=.{1,100}$)[\w-]*(\{[\w-]+\})?[\w-]*$/,
      'must contain only letters, digits, hyphens and underscores, and for a Redis in cluster mode one hash tag such as {ugc}',
    )
    .default('ugc')
    .describe('prefix of all Redis keys; a Redis in cluster mode needs a hash tag such as `{ugc}`'),
  STORE_TIMEOUT_FACTOR: integer(1, MAX_STORE_TIMEOUT_FACTOR, 1).describe(
    'factor of all time limits of requests to PostgreSQL, Redis, Elasticsearch and the key server, but for LIST_TIMEOUT_MS, and of locks, idle transactions and shutdowns; above 1 for stores that are far away or slow',
  ),
  BIND_ADDRESS: z
    .union([z.ipv4(), z.ipv6()])
    .default('0.0.0.0')
    .describe('IP address to listen on; `::` accepts connections by IPv6 too, 127.0.0.1 local ones only'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info').describe('minimum log level'),
});
