import { problemsOf, readVariable } from '@ugc/shared/environment/env-values';
import { MAX_STORE_TIMEOUT_FACTOR } from '@ugc/shared/timing/timeouts';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { FREE_PORTS, type PortRequest } from './ports.ts';
import { StackError } from './stack-error.ts';
import type { Stack, StackPorts } from './stack.ts';
import { writeWhole } from './whole-file.ts';

const KEY_SETTINGS = ['JWT_SECRET', 'JWT_SECRET_FILE', 'JWT_PUBLIC_KEY', 'JWT_PUBLIC_KEY_FILE', 'JWT_JWKS_URL'];

/** @throws StackError */
export function readPorts({ semantic = false } = {}): (PortRequest & { variable: string })[] {
  const [problem] = problemsOf(['LOCAL_DATA_DIR', 'DATABASE_URL', 'REDIS_URL', 'ELASTICSEARCH_URL', ...KEY_SETTINGS]);
  if (problem !== undefined) throw new StackError(problem);
  // The services refuse it too, but a server that was started before would be killed instead of being stopped.
  integerFrom('STORE_TIMEOUT_FACTOR', { what: 'a factor', fallback: 1, min: 1, max: MAX_STORE_TIMEOUT_FACTOR });
  return [
    { server: 'the API', variable: 'PORT', port: portFrom('PORT', 3000) },
    { server: "the API's metrics", variable: 'OPERATIONS_PORT', port: portFrom('OPERATIONS_PORT', 9464) },
    { server: "the indexer's metrics", variable: 'INDEXER_PORT', port: portFrom('INDEXER_PORT', 9465) },
    ...(semantic ? [{ server: 'the embedding service', variable: 'EMBEDDER_PORT', port: portFrom('EMBEDDER_PORT', 8081) }] : []),
  ];
}

function portFrom(variable: string, fallback: number): number {
  return integerFrom(variable, { what: 'a port', fallback, min: 0, max: 65_535 });
}

type Range = { what: string; fallback: number; min: number; max: number };

/** @throws StackError */
function integerFrom(variable: string, { what, fallback, min, max }: Range): number {
  const given = readVariable(variable);
  const value = Number(given ?? fallback);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new StackError(`${variable} must be ${what} from ${min} to ${max}, not ${given}.`);
}

/**
 * The ports of the last start. An index belongs to the database at its address: one that has another address is watched
 * for a while before it is written.
 */
export function readStorePorts(dataDir: string): Partial<StackPorts> {
  const file = join(dataDir, 'env');
  const env = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  const { min, max } = FREE_PORTS;
  const portOf = (part: keyof StackPorts, variable: string): Partial<StackPorts> => {
    const { hostname, port } = URL.parse(env[variable] ?? '') ?? {};
    // Other addresses are those of servers that were not started here.
    return hostname === '127.0.0.1' && Number(port) >= min && Number(port) <= max ? { [part]: Number(port) } : {};
  };
  return { ...portOf('postgres', 'DATABASE_URL'), ...portOf('redis', 'REDIS_URL'), ...portOf('elasticsearch', 'ELASTICSEARCH_URL') };
}

/** Writes the settings that the other commands (`npx pnpm users` …) read in order to use the same stack. */
export function writeSettings(dataDir: string, stack: Stack, servicePorts: Record<string, string>): Record<string, string> {
  const env = {
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    ELASTICSEARCH_URL: stack.elasticsearchUrl,
    ...keySettings(dataDir),
    // As docker-compose.yml.
    THUMBNAIL_MAX_ANIMATION_PIXELS: readVariable('THUMBNAIL_MAX_ANIMATION_PIXELS') ?? '100000000',
    // Only programs on this machine can connect.
    BIND_ADDRESS: '127.0.0.1',
    ...servicePorts,
    ...(servicePorts['EMBEDDER_PORT'] && { EMBEDDINGS_URL: `http://127.0.0.1:${servicePorts['EMBEDDER_PORT']}/v1` }),
  };
  const lines = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}\n`);
  writeWhole(join(dataDir, 'env'), lines.join(''), 0o600);
  return env;
}

/** Node.js reads each of them as it is, but for the quotes. */
function quoted(value: string): string {
  const quote = ["'", '`', '"'].find((each) => !value.includes(each)) ?? "'";
  return quote + value + quote;
}

/** What decides which tokens are valid: `npx pnpm run token` must know it in another terminal. */
const TOKEN_SETTING = /^(JWT_|OIDC_|USERS_FROM_TOKENS$)/;

/** The settings of tokens in the environment; if there is no key among them, with a random secret of this checkout. */
function keySettings(dataDir: string): Record<string, string> {
  const given = Object.fromEntries(Object.entries(process.env).filter(([name, value]) => TOKEN_SETTING.test(name) && value)) as Record<
    string,
    string
  >;
  if (KEY_SETTINGS.some((name) => readVariable(name) !== undefined)) return given;
  const file = join(dataDir, 'jwt-secret');
  if (!existsSync(file) || readFileSync(file, 'utf8') === '') writeWhole(file, randomBytes(32).toString('base64url'), 0o600);
  return { ...given, JWT_SECRET: readFileSync(file, 'utf8') };
}
