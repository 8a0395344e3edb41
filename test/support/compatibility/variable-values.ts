import { parseEnv } from '@ugc/shared/config/env';
import { generateKeyPairSync } from 'node:crypto';
import { z } from 'zod';

/** What a service reads, by name. */
type Env = Record<string, string>;
type Schema = Parameters<typeof parseEnv>[0];

/** `values`: by variable, those that it accepts beside others; numbers and truth values with what they are read as. */
export type Accepted = { beside: Env; values: Record<string, Record<string, number | boolean | null>> };

const STORES = {
  DATABASE_URL: 'postgres://ugc:secret@db.example.com/ugc',
  REDIS_URL: 'redis://redis.example.com',
  ELASTICSEARCH_URL: 'http://es.example.com:9200',
};
const SECRET = 'a-secret-with-more-than-32-bytes-0123456789';
const PROVIDER = { JWT_JWKS_URL: 'https://login.example.com/keys', JWT_ISSUER: 'https://login.example.com/' };
const SENTINELS = { REDIS_URL: 'redis://sentinel-1,sentinel-2', REDIS_SENTINEL_NAME: 'primary' };

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PEM = String(publicKey.export({ type: 'spki', format: 'pem' }));

/** Complete configurations. */
const CONFIGURATIONS: Env[] = [
  { ...STORES, JWT_SECRET: SECRET },
  { ...STORES, JWT_PUBLIC_KEY: PEM, JWT_ISSUER: 'urn:issuer', JWT_AUDIENCE: 'ugc' },
  { ...STORES, ...PROVIDER, OIDC_CLIENT_ID: 'web', USERS_FROM_TOKENS: 'true' },
  { ...STORES, ...SENTINELS, JWT_SECRET: SECRET, EMBEDDINGS_URL: 'http://embedder:8081/v1', EMBEDDINGS_MODEL: 'a-model' },
];

/** What people write into variables of any kind; what a variable means decides which it accepts. */
const SAMPLES = [
  ...['true', 'false', '0', '1', '2', '10', ' 7 ', '1e3', '0x10', '5.0', '65535', '100000'],
  ...['0-1', '0-20', '20', '100ms', '99999ms', '1s', '999s', '1m', '9m'],
  ...['trace', 'debug', 'info', 'warn', 'error', 'silent'],
  ...['http', 'https'].flatMap((scheme) => [
    `${scheme}://localhost`,
    `${scheme}://localhost:5173`,
    `${scheme}://app.example.com`,
    `${scheme}://app.example.com/`,
    `${scheme}://app.example.com/path/?key=value`,
    `${scheme}://127.0.0.1:9200`,
    `${scheme}://[::1]:9200`,
    `${scheme}://user:p%40ss@host:1234`,
    `${scheme}://a.example.com,${scheme}://b.example.com:8443`,
    `${scheme}://a.example.com ${scheme}://b.example.com`,
  ]),
  ...['postgres', 'postgresql'].flatMap((scheme) => [
    `${scheme}://host/database`,
    `${scheme}://user:p%2Fss@10.0.0.1:6432/data-base`,
    `${scheme}://localhost/ugc?host=/var/run/postgresql`,
    `${scheme}://user@[::1]:5432/ugc?application_name=x`,
    ...['verify-full', 'verify-ca', 'require', 'prefer', 'no-verify', 'disable'].map((mode) => `${scheme}://host/ugc?sslmode=${mode}`),
    `${scheme}://host/ugc?ssl=true`,
    `${scheme}://user:secret@host`,
  ]),
  ...['redis', 'rediss'].flatMap((scheme) => [
    `${scheme}://host`,
    `${scheme}://host:6380/3`,
    `${scheme}://:pass@host`,
    `${scheme}://user:p%40ss@host:6379/0`,
    `${scheme}://host?family=6`,
    `${scheme}://a,b:26380,c`,
  ]),
  ...['ugc', '{ugc}', 'a', 'a-b', 'A_b', 'content-2', 'x{y}z', 'client_id', 'roles', 'https://example.com/claims/name', 'http://schemas/x'],
  ...['openid', 'openid profile', 'profile openid offline_access', 'openid email'],
  ...[
    '0.0.0.0',
    '127.0.0.1',
    '10.1.2.3',
    '::',
    '::1',
    'fe80::1',
    'localhost',
    'ops.example.com',
    'ops.example.com,10.0.0.7',
    '[::1]',
    'A.EXAMPLE.com b.example.com',
  ],
  ...['Collection', 'Sammlung für Spiele', 'コレクション', 'Mods & Maps', '😀', "Ada's", '"q" <b>'],
  ...['/etc/ugc/file', './file.txt', 'C:\\file', 'auth0|5f7c', 'urn:example:issuer', 'all-minilm-l6-v2', 'query: ', 'search_document: '],
  ...[
    'abc+/=',
    'dGVzdA==',
    'key=value,other=value',
    'authorization=Bearer%20x',
    'always_on',
    'parentbased_traceidratio',
    'traceidratio',
    '0.1',
  ],
  ...['k'.repeat(32), `${'k'.repeat(32)}\n${'l'.repeat(40)}`, '🔑'.repeat(8)],
  ...[1, 2, 50, 60, 99, 100, 101, 200, 255, 1_000].map((length) => 'x'.repeat(length)),
  PEM,
  PEM.replaceAll('\n', '\\n'),
  PEM + PEM,
];

/** Values that the variables accept now, of the samples and of what the schema says of each; each in one configuration. */
export function acceptedValues(schema: Schema): Accepted[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const accepted: Accepted[] = CONFIGURATIONS.map((beside) => ({ beside, values: {} }));
  for (const [name, described] of Object.entries(properties))
    for (const value of new Set([...ownValues(described as z.core.JSONSchema.BaseSchema), ...SAMPLES]))
      for (const { beside, values } of accepted) {
        const read = tryValue(schema, { ...beside, [name]: value }, name);
        if (read === undefined) continue;
        (values[name] ??= {})[value] = read;
        break;
      }
  return accepted;
}

/** @returns a sentence for each value that is refused now, or means something else */
export function breachesOfValues(schema: Schema, kept: Accepted[]): string[] {
  return kept.flatMap(({ beside, values }) =>
    Object.entries(values).flatMap(([name, means]) =>
      Object.entries(means).flatMap(([value, meant]) => {
        const read = tryValue(schema, { ...beside, [name]: value }, name);
        if (read === meant) return [];
        return `${name}: ${JSON.stringify(value)} ${read === undefined ? 'is refused' : `meant ${meant}, and means ${read}`}`;
      }),
    ),
  );
}

/** @returns undefined if the value is refused; null if it is neither a number nor a truth value */
function tryValue(schema: Schema, env: Env, name: string): number | boolean | null | undefined {
  try {
    const all: Record<string, unknown> = parseEnv(schema, env, () => undefined);
    const read = all[name];
    return typeof read === 'number' || typeof read === 'boolean' ? read : null;
  } catch {
    return undefined;
  }
}

/** The ends of its range and what is between them and beside them, its default and its enumerated values. */
function ownValues({ minimum, maximum, default: byDefault, enum: values = [] }: z.core.JSONSchema.BaseSchema): string[] {
  const numbers = [minimum, maximum].flatMap((end) => (end === undefined ? [] : [end, end + 1, end - 1]));
  if (minimum !== undefined && maximum !== undefined)
    numbers.push(...[0.001, 0.01, 0.1, 0.5, 0.9].map((part) => Math.round(minimum + part * (maximum - minimum))));
  return [...numbers, ...values, ...(byDefault === undefined ? [] : [byDefault])].map(String);
}
