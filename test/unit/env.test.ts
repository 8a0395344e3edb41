import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiEnv } from '@ugc/api/env';
import { IndexerEnv } from '@ugc/indexer/env';
import { readPorts } from '@ugc/local-stack/settings';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { parseEnv, storeEnv } from '@ugc/shared/config/env';
import { LOCAL_VARIABLES, SERVICE_VARIABLES } from '@ugc/shared/environment/known-variables';
import { misspeltVariables } from '@ugc/shared/environment/misspelt';
import { storeTimeout } from '@ugc/shared/timing/timeouts';
import { spawn } from 'node:child_process';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiCommand, parseCommands } from '../support/processes/command.ts';
import type { Environment } from '../support/processes/environment.ts';
import { SECRET } from '../support/http/tokens.ts';

const STORES = { DATABASE_URL: 'postgres://h/d', REDIS_URL: 'redis://h', ELASTICSEARCH_URL: 'http://h' };

function parse(env: Environment) {
  const warnings: string[] = [];
  return { env: parseEnv(ApiEnv, { ...STORES, JWT_SECRET: SECRET, ...env }, (warning) => warnings.push(warning)), warnings };
}

const ENDS: [name: string, end: string][] = [
  ['a line feed', '\n'],
  ['a carriage return', '\r'],
  ['CRLF', '\r\n'],
  ['several line feeds', '\n\n\n'],
  ['a blank', ' '],
  ['a tab', '\t'],
  ['a no-break space', '\u00a0'],
  ['a byte order mark', '\ufeff'],
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a word joiner', '\u2060'],
  ['a left-to-right mark', '\u200e'],
  ['a line separator', '\u2028'],
  ['an ideographic space', '\u3000'],
  ['a NUL', '\u0000'],
  ['an escape', '\u001b'],
];

describe.each(ENDS)('%s at an end of a value', (_, end) => {
  it.each([
    ['end', (value: string) => value + end],
    ['begin', (value: string) => end + value],
  ])('is no part of the value (%s)', (__, given) => {
    const values = {
      JWT_SECRET: SECRET,
      JWT_ISSUER: 'https://issuer.test/',
      DATABASE_URL: 'postgres://h/other',
      REDIS_URL: 'redis://other',
      ELASTICSEARCH_URL: 'http://other',
      CONTENT_ALIAS: 'other',
      QUEUE_PREFIX: 'other',
      LOG_LEVEL: 'warn',
      BIND_ADDRESS: '127.0.0.1',
    };
    const written = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, given(value)]));
    expect(parse({ ...written, PORT: given('3100'), WEB_PAGE: given('false') }).env).toMatchObject({
      ...values,
      PORT: 3100,
      WEB_PAGE: false,
    });
  });

  it('alone makes the variable count as unset', () => {
    const { env } = parse({ JWT_ISSUER: end, PORT: end, JWT_PUBLIC_KEY: end });
    expect(env.PORT).toBe(3000);
    expect(env).not.toHaveProperty('JWT_ISSUER');
  });

  it('of a secret is reported with the name of the variable, never with the value, and of other variables is not', () => {
    const { warnings } = parse({ JWT_SECRET: SECRET + end, JWT_ISSUER: `x${end}` });
    expect(warnings).toEqual([expect.stringMatching(/^JWT_SECRET: .*not used.*must be signed with the secret without them/)]);
    expect(warnings.join()).not.toContain(SECRET);
  });
});

it('a value without an invisible end is used as it is, with the characters inside it, and without a warning', () => {
  const secret = 'a secret\twith "quotes", \u200b and \u00a0 inside; its last letter is ❤️';
  expect(parse({ JWT_SECRET: secret })).toMatchObject({ env: { JWT_SECRET: secret }, warnings: [] });
});

it('a program reports only the variables that it uses', () => {
  const warnings: string[] = [];
  parseEnv(IndexerEnv, { ...STORES, JWT_SECRET: `${SECRET}\n`, PORT: '"3000"' }, (warning) => warnings.push(warning));
  expect(warnings).toEqual([]);
});

it('a secret that is long enough only with its invisible end is refused, and the warning says why', () => {
  const warnings: string[] = [];
  const parseShort = () => parseEnv(ApiEnv, { ...STORES, JWT_SECRET: `${'x'.repeat(31)}\n` }, (warning) => warnings.push(warning));
  expect(parseShort).toThrow(/JWT_SECRET: must have at least 32 bytes/);
  expect(() => parse({ JWT_SECRET: `${SECRET}\n${'x'.repeat(31)}` })).toThrow(/JWT_SECRET: must have at least 32 bytes/);
  expect(warnings).toHaveLength(1);
});

describe('the settings of tokens are refused, and the error names the variable, with', () => {
  const pemOf = (key: { export(options: { type: 'spki'; format: 'pem' }): string | Buffer }): string =>
    String(key.export({ type: 'spki', format: 'pem' }));
  const rsa = pemOf(generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey);
  const shortRsa = pemOf(generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey);
  const p384 = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey);
  const ONE_KEY = /JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL: exactly one/;

  it.each<[string, Environment, RegExp]>([
    ['a secret of 31 bytes', { JWT_SECRET: 'x'.repeat(31) }, /JWT_SECRET: must have at least 32 bytes/],
    ['no key', { JWT_SECRET: '' }, ONE_KEY],
    ['a blank secret', { JWT_SECRET: ' ' }, ONE_KEY],
    ['a secret and a public key', { JWT_PUBLIC_KEY: rsa }, ONE_KEY],
    ['a secret and a JWKS', { JWT_JWKS_URL: 'https://h/keys' }, ONE_KEY],
    ['a text that is not a public key', { JWT_SECRET: '', JWT_PUBLIC_KEY: 'hello' }, /JWT_PUBLIC_KEY: must be a PEM/],
    ['an RSA key of 1024 bits', { JWT_SECRET: '', JWT_PUBLIC_KEY: shortRsa }, /JWT_PUBLIC_KEY: must be a PEM/],
    ['a key on another curve', { JWT_SECRET: '', JWT_PUBLIC_KEY: p384 }, /JWT_PUBLIC_KEY: must be a PEM/],
    ['a JWKS that is a file', { JWT_SECRET: '', JWT_JWKS_URL: 'file:///etc/passwd' }, /JWT_JWKS_URL: must be an http/],
    ['a client for signing in without a provider', { OIDC_CLIENT_ID: 'page' }, /OIDC_CLIENT_ID: needs JWT_JWKS_URL/],
    [
      'a client for signing in, and an issuer that is no URL',
      { JWT_SECRET: '', JWT_JWKS_URL: 'https://h/keys', JWT_ISSUER: 'h', OIDC_CLIENT_ID: 'page' },
      /OIDC_CLIENT_ID: needs JWT_JWKS_URL, and the URL/,
    ],
    ['scopes without openid', { OIDC_SCOPE: 'profile' }, /OIDC_SCOPE: must contain openid/],
    ['a word for whether tokens expire', { JWT_REQUIRE_EXPIRY: 'no' }, /JWT_REQUIRE_EXPIRY/],
  ])('%s', (_, env, message) => expect(() => parse(env)).toThrow(message));

  it('and are accepted with a secret of 32 bytes', () => {
    expect(parse({ JWT_SECRET: 'é'.repeat(16) }).env).toMatchObject({ JWT_USER_CLAIM: 'sub', JWT_REQUIRE_EXPIRY: true });
  });
});

describe('quotes around a value are refused by the name of the variable, without its value,', () => {
  it.each<[string, string]>([
    ['JWT_SECRET', `"${SECRET}"`],
    ['JWT_SECRET', `'${SECRET}'`],
    ['JWT_SECRET', ` "${SECRET}"\n`],
    ['DATABASE_URL', `'postgres://${SECRET}@h/d'`],
    ['JWT_ISSUER', `"${SECRET}"`],
    ['JWT_AUDIENCE', '""'],
    ['CONTENT_ALIAS', '"content"'],
    ['PORT', '"3000"'],
    ['WEB_PAGE', "'true'"],
    ['CORS_ORIGINS', '"https://a.test","https://b.test"'],
    ['JWT_SECRET_FILE', '"/run/secrets/jwt"'],
  ])('%s=%s', (name, value) => {
    const env: Environment = name === 'JWT_SECRET_FILE' ? { JWT_SECRET: '' } : {};
    const refuse = () => parse({ ...env, [name]: value });
    expect(refuse).toThrow(new RegExp(`\\n  ${name}: begins and ends with a quote, .*remove both quotes$`));
    expect(refuse).not.toThrow(SECRET);
  });

  it('with every other problem of the configuration', () => {
    expect(() => parse({ JWT_SECRET: `"${SECRET}"`, PORT: 'x' })).toThrow(/PORT: must be a number/);
  });

  it('but a quote at one end, or two different ones, are part of the value', () => {
    for (const secret of [`"${SECRET}`, `${SECRET}'`, `"${SECRET}'`]) expect(parse({ JWT_SECRET: secret }).env.JWT_SECRET).toBe(secret);
  });
});

describe('a public key', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }));
  it.each([
    ['as OpenSSL writes it', pem],
    ['without its last line feed', pem.trim()],
    ['with CRLF', pem.replaceAll('\n', '\r\n')],
    ['with CR', pem.replaceAll('\n', '\r')],
    ['with the characters \\n', pem.replaceAll('\n', '\\n')],
    ['with the characters \\r\\n', pem.replaceAll('\n', '\\r\\n')],
    ['on one line with blanks', pem.replaceAll('\n', ' ')],
    ['indented', pem.replaceAll(/^/gm, '    ')],
    ['after a byte order mark', `\ufeff${pem}`],
  ])('is accepted %s, without a warning', (_, text) => {
    const { env, warnings } = parse({ JWT_SECRET: '', JWT_PUBLIC_KEY: text });
    expect(env.JWT_PUBLIC_KEY?.trim()).toBe(pem.trim());
    expect(warnings).toEqual([]);
  });
});

it('users are created from the tokens of one issuer, whose name has no |', () => {
  expect(() => parse({ USERS_FROM_TOKENS: 'true' })).toThrow(/JWT_ISSUER: must be set with USERS_FROM_TOKENS/);
  expect(() => parse({ JWT_ISSUER: 'https://issuer.test|x' })).toThrow(/JWT_ISSUER: must not contain \|/);
  expect(parse({ USERS_FROM_TOKENS: 'true', JWT_ISSUER: 'https://issuer.test' }).env.USERS_FROM_TOKENS).toBe(true);
});

describe('a file that contains a secret', () => {
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ugc-env-'));
    file = join(folder, 'secret');
  });
  afterAll(() => rm(folder, { recursive: true }));
  const read = async (content: string | Buffer) => {
    await writeFile(file, content);
    return parse({ JWT_SECRET: '', JWT_SECRET_FILE: `${file}\n` });
  };

  it.each(['', '\n', '\r\n'])('may end with a line feed: %j', async (end) => {
    expect(await read(SECRET + end)).toMatchObject({ env: { JWT_SECRET: SECRET }, warnings: [] });
  });

  it.each(['\n\n', ' \n', ' ', '\r', '\u200b'])('with another invisible end has the same secret, and is reported: %j', async (end) => {
    const { env, warnings } = await read(SECRET + end);
    expect(env.JWT_SECRET).toBe(SECRET);
    expect(warnings).toEqual([expect.stringContaining('JWT_SECRET_FILE: ')]);
  });

  it('is refused if its content is in quotes', async () => {
    await expect(read(`"${SECRET}"\n`)).rejects.toThrow(/JWT_SECRET_FILE: the content of the file .* begins and ends with a quote/);
  });

  it('is refused if it is UTF-16, as some programs of Windows write it', async () => {
    await expect(read(Buffer.from(`\ufeff${SECRET}`, 'utf16le'))).rejects.toThrow(/JWT_SECRET_FILE: .* is UTF-16; store it as UTF-8/);
  });

  it.each(['', '\n', '\u200b'])('is refused if it is empty, also for a secret that is optional: %j', async (content) => {
    await expect(read(content)).rejects.toThrow(/JWT_SECRET_FILE: the file .* is empty$/);
    expect(() => parse({ ELASTICSEARCH_API_KEY_FILE: file })).toThrow(/ELASTICSEARCH_API_KEY_FILE: the file .* is empty$/);
  });

  it('is not named if the variable contains something else than a path, which may be the secret', () => {
    const refuse = () => parse({ DATABASE_URL: '', DATABASE_URL_FILE: `postgres://u:${SECRET}@h/d` });
    expect(refuse).toThrow('DATABASE_URL_FILE: must be the absolute path of a file');
    expect(refuse).not.toThrow(SECRET);
  });

  it('is named if it cannot be read', () => {
    expect(() => parse({ JWT_SECRET: '', JWT_SECRET_FILE: join(folder, 'none') })).toThrow(/JWT_SECRET_FILE: the file .* cannot be read/);
  });
});

it('a command uses the secret without its invisible end, and warns once on standard error', async () => {
  const { code, stdout, stderr } = await apiCommand({ JWT_SECRET: `${SECRET}\n` }, 'token', '--user', '1');
  expect({ code, warnings: stderr.match(/Warning: JWT_SECRET/g) }).toEqual({ code: 0, warnings: ['Warning: JWT_SECRET'] });
  const [header = '', payload = '', signature = ''] = stdout.trim().split('.');
  expect(signature).toBe(createHmac('sha256', SECRET).update(`${header}.${payload}`).digest('base64url'));
});

describe('ELASTICSEARCH_URL', () => {
  it('may name several nodes, which have one user', () => {
    expect(parse({ ELASTICSEARCH_URL: 'https://u:p@a:9200, https://b:9200,https://u:p@c' }).env).toMatchObject({
      ELASTICSEARCH_URL: 'https://u:p@a:9200, https://b:9200,https://u:p@c',
    });
  });

  it('may have a password with a comma', () => {
    expect(parse({ ELASTICSEARCH_URL: 'http://u:p,w@a:9200,http://b:9200' }).env.ELASTICSEARCH_URL).toBe(
      'http://u:p,w@a:9200,http://b:9200',
    );
  });

  it.each([
    ['one is no URL', 'http://a:9200,http://b:x', 'must be a URL such as http://127.0.0.1:9200, or several'],
    ['one is empty', 'http://a:9200,', 'must be a URL such as'],
    ['one has another user', 'http://u:p@a:9200,http://v:p@b:9200', 'must have the same user and password in each URL'],
  ])('is refused when %s', (_, url, message) => {
    expect(() => parse({ ELASTICSEARCH_URL: url })).toThrow(message);
  });
});

it.each(['', ' ', '\u200b', '3', ' 3\n', '3\u200b'])(
  'time limits are multiplied by the STORE_TIMEOUT_FACTOR of the configuration: %j',
  (value) => {
    const factor = jest.replaceProperty(process.env, 'STORE_TIMEOUT_FACTOR', value);
    expect(storeTimeout(100)).toBe(100 * parse({ STORE_TIMEOUT_FACTOR: value }).env.STORE_TIMEOUT_FACTOR);
    factor.restore();
  },
);

it.each(['0', '1000', 'abc', '1.5', '-1'])('the STORE_TIMEOUT_FACTOR %s is refused by every schema, and by npx pnpm start', (value) => {
  const wrong = /^The configuration is not valid:\n {2}STORE_TIMEOUT_FACTOR: must be .*$/;
  expect(() => parse({ STORE_TIMEOUT_FACTOR: value })).toThrow(wrong);
  expect(() => parseEnv(storeEnv.pick({ DATABASE_URL: true }), { ...STORES, STORE_TIMEOUT_FACTOR: value })).toThrow(wrong);
  const factor = jest.replaceProperty(process.env, 'STORE_TIMEOUT_FACTOR', value);
  expect(() => readPorts()).toThrow(`STORE_TIMEOUT_FACTOR must be a factor from 1 to 100, not ${value}.`);
  factor.restore();
});

const COMMANDS = Object.fromEntries(
  [
    ...[
      'backup',
      'export',
      'fields show',
      'import -',
      'items show 1',
      'migrate',
      'restore --as copy',
      'search-insights',
      'search-synonyms FILE',
      'token --user 1',
      'users list',
      'welcome',
    ],
    ...['users add NAME', 'users rename 1 NAME', 'users block 1', 'users export 1', 'users erase 1', 'users receipts'],
  ]
    .map((words) => [words, `services/api/src/commands/${words}`])
    .concat(
      ['embeddings status', 'index-adopt', 'index-audit', 'index-pause pause', 'index-rebuild', 'index-rejected list', 'index-status'].map(
        (words) => [words, `services/indexer/src/commands/${words}`],
      ),
    )
    .map(([name, words = '']) => [name, words.replace(/\b(?= |$)/, '.ts').split(' ')]),
) as Record<string, string[]>;

it('every command refuses a configuration that is wrong before it connects to a store', () => {
  const ended = parseCommands(Object.values(COMMANDS), { ...STORES, JWT_SECRET: SECRET, STORE_TIMEOUT_FACTOR: 'abc' });
  const refusal = { code: 78, message: expect.stringContaining('STORE_TIMEOUT_FACTOR: must be a number') };
  for (const [n, name] of Object.keys(COMMANDS).entries()) expect({ name, ...ended[n] }).toEqual({ name, ...refusal });
});

it('every command of the services is checked for a wrong variable', () => {
  const files = globSync('services/*/src/commands/*.ts', { cwd: CHECKOUT });
  const own = files.filter((file) => /await run\w*Command\(/.test(readFileSync(join(CHECKOUT, file), 'utf8')));
  expect([...new Set(Object.values(COMMANDS).map(([file]) => file))].toSorted()).toEqual(own.toSorted());
});

describe('a setting', () => {
  it('of the index has a default that creates the index as it is', () => {
    const { INDEX_SHARDS, INDEX_REPLICAS, INDEX_REFRESH_INTERVAL, INDEX_DATA } = parse({}).env;
    expect({ INDEX_SHARDS, INDEX_REPLICAS, INDEX_REFRESH_INTERVAL, INDEX_DATA }).toEqual({
      INDEX_SHARDS: 1,
      INDEX_REPLICAS: '0-1',
      INDEX_REFRESH_INTERVAL: '1s',
      INDEX_DATA: true,
    });
  });

  it.each([
    [
      'INDEX_REPLICAS',
      ['0', '1', '0-1', '0-20', '2-3'],
      ['-1', '2-1', '21', 'all', '0-all', '1-', 'x', '01', '0-01'],
      'must be a number of replicas',
    ],
    ['INDEX_REFRESH_INTERVAL', ['100ms', '1s', '999s', '9m'], ['-1', '0s', '50ms', '1', '1h', '60m'], 'must be a time from 100ms to 9m'],
    ['INDEX_SHARDS', ['1', '1024'], ['0', '1025', '1.5', 'x'], 'must be'],
    ['INDEX_FILL_CONCURRENCY', ['1', '16'], ['0', '17'], 'must be'],
    [
      'CORS_ORIGINS',
      ['https://a.test, http://localhost:5173'],
      ['*', 'a.test', 'https://a.test/', 'https://a.test/path', 'https://a.test https://b.test/'],
      'must be a comma-separated list of origins',
    ],
    [
      'OPERATIONS_HOSTS',
      ['Ops.example.com, 10.1.2.3'],
      ['https://ops.example.com', 'ops.example.com:9464', 'a/b', '*'],
      'must be a comma-separated list of host names',
    ],
    ['UPLOADS_IN_FLIGHT_MAX_BYTES', ['3000000'], ['2000000'], 'must be at least BODY_MAX_BYTES'],
  ])('%s is refused unless it has a meaning, and the message says what is right', (name, right, wrong, message) => {
    for (const value of right) expect(() => parse({ [name]: value })).not.toThrow();
    for (const value of wrong) expect(() => parse({ [name]: value })).toThrow(`${name}: ${message}`);
  });
});

describe('a name in the environment that is probably meant for the service, and that nothing reads,', () => {
  const warningsOf = (env: Environment): string[] => parse(env).warnings;

  it.each([
    ['RATE_LIMIT_WRITES_PER_MIN', 'RATE_LIMIT_WRITES_PER_MINUTE'],
    ['RATE_LIMIT_UPLOADS_PER_MINUTE', 'RATE_LIMIT_READS_PER_MINUTE'],
    ['RATE_LIMITS_LISTS_PER_MINUTE', 'RATE_LIMIT_LISTS_PER_MINUTE'],
    ['RATELIMIT_READS_PER_MINUTE', 'RATE_LIMIT_READS_PER_MINUTE'],
    ['THUMBNAIL_MAX_SIZE', 'THUMBNAIL_MAX_SIDE'],
    ['TAG_MAX_LENGTH', 'TAG_MAX_CHARACTERS'],
    ['PAGE_MAX_ITEMS', 'PAGE_MAX_BYTES'],
    ['LIST_TIMEOUT', 'LIST_TIMEOUT_MS'],
    ['INDEX_REPLICA', 'INDEX_REPLICAS'],
    ['INDEXES_SHARDS', 'INDEX_SHARDS'],
    ['INDEX_REFRESH', 'INDEX_REFRESH_INTERVAL'],
    ['INDEXER_MAX', 'INDEXERS_MAX'],
    ['JWT_SECRETS', 'JWT_SECRET'],
    ['JWT_JWKS_URI', 'JWT_JWKS_URL'],
    ['JWT_AUD', 'JWT_AUDIENCE'],
    ['OIDC_CLIENT', 'OIDC_CLIENT_ID'],
    ['EMBEDDING_URL', 'EMBEDDINGS_URL'],
    ['EMBEDDINGS_KEY', 'EMBEDDINGS_URL'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['TRUST_PROXIES', 'TRUST_PROXY'],
    ['DATABASE_POOL', 'DATABASE_POOL_SIZE'],
    ['DATABSE_POOL_SIZE', 'DATABASE_POOL_SIZE'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['log_level', 'LOG_LEVEL'],
    ['PUBLIC-URL', 'PUBLIC_URL'],
    ['REDIS_SENTINEL_NAMES', 'REDIS_SENTINEL_NAME'],
    ['ELASTICSEARCH_API_KEYS', 'ELASTICSEARCH_API_KEY'],
    ['OTEL_TRACE_SAMPLER', 'OTEL_TRACES_SAMPLER'],
    ['QUEUE_PREFIX_FILE', 'QUEUE_PREFIX'],
    ['LOCAL_DATA_DIRS', 'LOCAL_DATA_DIR'],
  ])('is a warning with the nearest name, and without its value: %s', (name, nearest) => {
    expect(warningsOf({ [name]: 'a-value' })).toEqual([
      `${name} is no variable of this service and has no effect; the nearest one is ${nearest}.`,
    ]);
  });

  const named = (file: string, pattern: RegExp): string[] =>
    [...readFileSync(join(CHECKOUT, file), 'utf8').matchAll(pattern)].map(([, name = '']) => name);
  const FILES = ['docker-compose.yml', 'docker-compose.opensearch.yml', ...globSync('deploy/**/*.{yaml,yml,env}', { cwd: CHECKOUT })];
  const SOURCES = globSync('{packages,services,test,tools}/**/*.{ts,js}', {
    cwd: CHECKOUT,
    exclude: (name) => name.includes('node_modules'),
  });

  it.each<[string, () => string[]]>([
    ['of .env.example', () => named('.env.example', /^(?:# )?([A-Z][A-Z_]+)=/gm)],
    ['of the deployment files', () => FILES.flatMap((file) => named(file, /(?:\$\{|^ +|name: )([A-Z][A-Z_\d]+)\b/gm))],
    ['of processes in the source', () => SOURCES.flatMap((file) => named(file, /\benv(?:\.|\[')([A-Z][A-Z_\d]+)\b/g))],
    ['of programs that are read by readVariable', () => SOURCES.flatMap((file) => named(file, /readVariable\('([A-Z_]+)'/g))],
    [
      'of PostgreSQL, Redis, Elasticsearch, OpenTelemetry, Node.js and npm',
      () => [
        ...['POSTGRES_USER', 'POSTGRES_PASSWORD_FILE', 'PGHOST', 'PGSSLMODE', 'PGDATA', 'DATABASE_HOST', 'DATABASE_NAME', 'DB_URL'],
        ...['REDIS_HOST', 'REDIS_PORT', 'REDIS_PASSWORD', 'REDIS_ARGS', 'REDISCLI_AUTH', 'REDIS_SENTINEL_HOST', 'REDIS_URI_CACHE'],
        ...['ELASTICSEARCH_HOSTS', 'ELASTICSEARCH_USERNAME', 'ELASTICSEARCH_PASSWORD', 'ELASTIC_PASSWORD', 'ES_JAVA_OPTS'],
        ...['OTEL_SERVICE_NAME', 'OTEL_RESOURCE_ATTRIBUTES', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS'],
        ...['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_TRACES_EXPORTER', 'OTEL_LOG_LEVEL', 'OTEL_METRICS_EXPORTER', 'OTEL_SDK_DISABLED'],
        ...['NODE_ENV', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'npm_config_registry', 'npm_package_name', 'npm_lifecycle_event'],
      ],
    ],
    [
      'of shells, containers and platforms',
      () => [
        ...['PATH', 'HOME', 'PWD', 'USER', 'USERNAME', 'SHELL', 'LANG', 'LOGNAME', 'TERM', 'HOSTNAME', 'TZ', '_', 'SHLVL', 'PAGER'],
        ...['WEB_CONCURRENCY', 'PORTS', 'LOG_FORMAT', 'LOG_DIR', 'DATA_DIR', 'PUBLIC_HOST', 'TAG_NAME', 'APP_PORT', 'API_KEY', 'API_URL'],
        ...['DATABASE_URL_REPLICA', 'STORE_PATH', 'CONTENT_TYPE', 'NAME', 'QUEUE_URL', 'SEARCH_URL', 'USER_AGENT', 'USERS_DB', 'PAGE_SIZE'],
      ],
    ],
  ])('is none %s', (_, names) => {
    const all = [...new Set(names())];
    expect(all.length).toBeGreaterThan(2);
    const own = new Set(Object.keys({ ...ApiEnv.shape, ...IndexerEnv.shape, JWT_PUBLIC_KEY_FILE: 1, JWT_SECRET_FILE: 1 }));
    const others = all.filter((name) => !own.has(name) && !/^[A-Z_]+_URL_FILE$/.test(name));
    expect(misspeltVariables(Object.fromEntries(others.map((name) => [name, 'x'])))).toEqual([]);
  });

  it('is none that Kubernetes sets for a service of its namespace', () => {
    const links = ['API', 'INDEXER', 'EMBEDDINGS', 'REDIS', 'UGC_API', 'JWT', 'INDEX'].flatMap((name) => [
      [`${name}_SERVICE_HOST`, '10.0.0.1'],
      [`${name}_SERVICE_PORT`, '3000'],
      [`${name}_SERVICE_PORT_HTTP`, '3000'],
      ...(name === 'INDEXER' ? [] : [[`${name}_PORT`, 'tcp://10.0.0.1:3000']]),
      [`${name}_PORT_3000_TCP`, 'tcp://10.0.0.1:3000'],
      [`${name}_PORT_3000_TCP_ADDR`, '10.0.0.1'],
      [`${name}_PORT_3000_TCP_PORT`, '3000'],
      [`${name}_PORT_3000_TCP_PROTO`, 'tcp'],
    ]);
    expect(warningsOf(Object.fromEntries(links))).toEqual([]);
  });

  it('is none of another program that has the right one beside it', () => {
    expect(misspeltVariables({ DATABASE_URL: 'postgres://h/d', DATABASE_URI: 'x', REDIS_URL: 'redis://h', REDIS_URI: 'x' })).toEqual([]);
    expect(misspeltVariables({ DATABASE_URI: 'x' })).toEqual([expect.stringContaining('the nearest one is DATABASE_URL.')]);
  });

  it('is compared with the variables of the schemas, and of the programs that have none', () => {
    expect(SERVICE_VARIABLES.toSorted()).toEqual(Object.keys({ ...ApiEnv.shape, ...IndexerEnv.shape }).toSorted());
    const embedder = /const \{ (EMBEDDER_[^}]*) \} = process\.env/.exec(
      readFileSync(join(CHECKOUT, 'services/embedder/src/main.ts'), 'utf8'),
    );
    const ofEmbedder = embedder?.[1]?.match(/[A-Z_]{5,}/g) ?? [];
    const ofStack = globSync('packages/local-stack/src/**/*.ts', { cwd: CHECKOUT }).flatMap((file) =>
      named(file, /readVariable\('([A-Z_]+)'/g),
    );
    const local = [...ofEmbedder, ...ofStack].filter((name) => !SERVICE_VARIABLES.includes(name));
    expect(LOCAL_VARIABLES.toSorted()).toEqual([...new Set(local)].toSorted());
  });

  it.each(['services/api/src/main.ts', 'services/indexer/src/main.ts', 'services/api/src/commands/users.ts'])(
    'is a warning once at the start of %s',
    async (file) => {
      const env = { PATH: process.env['PATH'], DATABASE_URL: 'postgres://127.0.0.1:9/d', REDIS_URL: 'redis://127.0.0.1:9' };
      const ports = { PORT: '0', OPERATIONS_PORT: '0', INDEXER_PORT: '0', ELASTICSEARCH_URL: 'http://127.0.0.1:9', JWT_SECRET: SECRET };
      const started = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', join(CHECKOUT, file), ...(file.includes('users') ? ['list'] : [])],
        {
          env: { ...env, ...ports, RATE_LIMIT_WRITES_PER_MIN: '600' },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      let printed = '';
      started.stderr.on('data', (bytes: Buffer) => void (printed += bytes.toString()));
      const ended = once(started, 'close');
      await Promise.race([once(started.stdout, 'data'), ended]);
      started.kill();
      await ended;
      expect(printed.match(/Warning: RATE_LIMIT_WRITES_PER_MIN is no variable .* RATE_LIMIT_WRITES_PER_MINUTE\.$/gm)).toHaveLength(1);
    },
    60_000,
  );
});
