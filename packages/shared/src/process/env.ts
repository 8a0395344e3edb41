import { readFileSync } from 'node:fs';
import { z } from 'zod';

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** EX_CONFIG of sysexits.h. */
const EXIT_CONFIGURATION = 78;

/** An empty variable counts as unset. NAME_FILE names a file with the secret NAME. @throws ConfigurationError */
export function parseEnv<S extends z.ZodType>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  const parsed = schema.safeParse(withFiles(env));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `  ${issue.path.join('.') || 'configuration'}: ${issue.message}`);
  throw new ConfigurationError(`The configuration is not valid:\n${problems.join('\n')}`);
}

export function readEnv<S extends z.ZodType>(schema: S): z.output<S> {
  try {
    return parseEnv(schema, process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    process.exit(EXIT_CONFIGURATION);
  }
}

const READ_FROM_FILE = ['JWT_SECRET', 'JWT_PUBLIC_KEY', 'DATABASE_URL', 'REDIS_URL', 'ELASTICSEARCH_URL'];

function withFiles(env: NodeJS.ProcessEnv): Record<string, string> {
  const nonEmpty = Object.entries(env).filter((entry): entry is [string, string] => (entry[1] ?? '').trim() !== '');
  const values = Object.fromEntries(nonEmpty);
  for (const name of READ_FROM_FILE) {
    const path = values[`${name}_FILE`];
    if (path !== undefined) values[name] ??= readSecret(`${name}_FILE`, path);
  }
  return values;
}

function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new ConfigurationError(`The configuration is not valid:\n  ${name}: the file ${path} cannot be read`, { cause });
  }
}

const url = (protocols: string[], example: string) =>
  z
    .string({ error: `is required, for example ${example}` })
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
      error: `must be a URL such as ${example}`,
    });

export const integer = (min: number, max: number, fallback: number) =>
  z.coerce
    .number({ error: `must be a number` })
    .int(`must be an integer`)
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`)
    .default(fallback);

export const storeEnv = z.object({
  DATABASE_URL: url(['postgres:', 'postgresql:'], 'postgresql://user:password@127.0.0.1:5432/ugc').describe('URL of PostgreSQL'),
  REDIS_URL: url(['redis:', 'rediss:'], 'redis://127.0.0.1:6379').describe('URL of Redis; its maxmemory-policy must be noeviction'),
  ELASTICSEARCH_URL: url(['http:', 'https:'], 'http://127.0.0.1:9200').describe('URL of Elasticsearch'),
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
  BIND_ADDRESS: z
    .union([z.ipv4(), z.ipv6()])
    .default('0.0.0.0')
    .describe('IP address to listen on; 127.0.0.1 accepts local connections only'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info').describe('minimum log level'),
});
