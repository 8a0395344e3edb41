import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The configuration is wrong. The message names every variable that is, and what would be right. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** sysexits.h: something is wrong with the configuration. */
const EXIT_CONFIGURATION = 78;

/**
 * Reads a service's configuration from the environment, all problems at once. An empty variable counts as absent,
 * and NAME_FILE gives NAME from a file, as container secrets are mounted.
 * @throws ConfigurationError
 */
export function parseEnv<S extends z.ZodType>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  const parsed = schema.safeParse(withFiles(env));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `  ${issue.path.join('.') || 'configuration'}: ${issue.message}`);
  throw new ConfigurationError(`The configuration is wrong:\n${problems.join('\n')}`);
}

/** For a process that is starting: prints what is wrong and exits. */
export function readEnv<S extends z.ZodType>(schema: S): z.output<S> {
  try {
    return parseEnv(schema, process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    process.exit(EXIT_CONFIGURATION);
  }
}

function withFiles(env: NodeJS.ProcessEnv): Record<string, string> {
  const given = Object.entries(env).filter((entry): entry is [string, string] => (entry[1] ?? '').trim() !== '');
  const values = Object.fromEntries(given);
  for (const [name, path] of given) {
    const target = name.replace(/_FILE$/, '');
    if (
      target !== name &&
      values[target] === undefined &&
      /^(JWT_SECRET|JWT_PUBLIC_KEY|DATABASE_URL|REDIS_URL|ELASTICSEARCH_URL)$/.test(target)
    ) {
      values[target] = readSecret(name, path);
    }
  }
  return values;
}

function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new ConfigurationError(`The configuration is wrong:\n  ${name}: the file ${path} can't be read`, { cause });
  }
}

const url = (protocols: string[], example: string) =>
  z
    .string({ error: `is required, for example ${example}` })
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
      error: `is not a URL such as ${example}`,
    });

export const integer = (min: number, max: number, fallback: number) =>
  z.coerce
    .number({ error: `is not a number` })
    .int(`is not an integer`)
    .min(min, `is less than ${min}`)
    .max(max, `is more than ${max}`)
    .default(fallback);

/** What both services need to know. */
export const storeEnv = z.object({
  DATABASE_URL: url(['postgres:', 'postgresql:'], 'postgresql://user:password@127.0.0.1:5432/ugc').describe('PostgreSQL'),
  REDIS_URL: url(['redis:', 'rediss:'], 'redis://127.0.0.1:6379').describe('Redis, with maxmemory-policy noeviction'),
  ELASTICSEARCH_URL: url(['http:', 'https:'], 'http://127.0.0.1:9200').describe('Elasticsearch'),
  CONTENT_ALIAS: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,99}$/, 'is not a name of lower-case letters, digits and hyphens')
    .default('content')
    .describe('the alias that searches go through; the indices behind it are named after it'),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'is not a name of letters, digits, hyphens and underscores')
    .default('ugc')
    .describe("prefix of the queue's keys in Redis"),
  BIND_ADDRESS: z.union([z.ipv4(), z.ipv6()]).default('0.0.0.0').describe('the address to listen on; 127.0.0.1 keeps everybody else out'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info').describe('least level that is logged'),
});
