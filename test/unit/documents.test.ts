import * as scripts from 'bullmq/dist/esm/scripts/index.js';
import { describe, expect, it } from '@jest/globals';
import { allEndpoints } from '@ugc/api/endpoints/endpoints';
import { openApiDocument } from '@ugc/api/endpoints/openapi';
import { ApiEnv } from '@ugc/api/env';
import { filterParameters } from '@ugc/api/search/filters';
import { ERROR_CODES } from '@ugc/items/problems/error-codes';
import { isFault, PROBLEM_KINDS, type ProblemCode } from '@ugc/items/problems/problem-kinds';
import { IndexerEnv } from '@ugc/indexer/env';
import { MODEL, SHA256 } from '@ugc/local-stack/embedder-files';
import { createCommand } from '@ugc/shared/cli/command';
import { measureVersion } from '@ugc/shared/process/metrics';
import { VERSION } from '@ugc/shared/process/version';
import { REDIS_COMMANDS } from '@ugc/shared/redis/check';
import { Registry } from 'prom-client';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RANKING_REASONS } from '@ugc/items/changes/ranking-reasons';
import { checkTable } from '../support/jest/docs-table.ts';
import { dashboard, panelsOf } from '../support/metrics/dashboard.ts';
import { defaultEnv } from '../support/processes/default-env.ts';
import { METRICS, metricsOf, registries, seriesOf, type Metric } from '../support/metrics/registries.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A variable belongs to the first group that matches its name. */
const GROUPS: [group: string, names: RegExp][] = [
  ['stores', /^(DATABASE|REDIS|ELASTICSEARCH|STORE|CONTENT_ALIAS|QUEUE_PREFIX)/],
  ['index', /^(INDEX_|INDEXERS|PENDING)/],
  ['tokens', /^(JWT|USERS_FROM_TOKENS)/],
  ['search', /^(SYNONYMS|SEARCH_INSIGHTS|EMBEDDINGS)/],
  ['limits', /^(RATE_LIMIT|TRUST_PROXY|CORS)|_MAX|_TIMEOUT_MS$/],
  ['processes', /^/],
];

function configurationRows(group: string): string[][] {
  const variables = Object.entries({ ...describeAll(ApiEnv), ...describeAll(IndexerEnv) });
  const own = variables.filter(([name]) => GROUPS.find(([, names]) => names.test(name))?.[0] === group);
  return own.map(([name, { description, fallback }]) => [`\`${name}\``, fallback, description]);
}

function describeAll(schema: z.ZodType): Record<string, { description: string; fallback: string }> {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const { description = '', default: value } = property as { description?: string; default?: unknown };
      const fallback = value !== undefined ? `\`${String(value)}\`` : required.includes(name) ? '**required**' : '';
      return [name, { description, fallback }];
    }),
  );
}

it('docs/decisions/0014-per-user-limits.md says for each file of the API that waits what an outage gives', () => {
  const waits =
    /new (?:Shares|Threads|Turns|PerItemQueue|RepeatedReading)\b|extends Shares\b|class PerItemQueue\b|\.wait\(|withResolvers|unlessAborted\(/;
  const files = ['services/api/src', 'packages/items/src'].flatMap((folder) =>
    globSync('**/*.ts', { cwd: join(ROOT, folder) }).map((file) => ({ file, text: readFileSync(join(ROOT, folder, file), 'utf8') })),
  );
  const waiting = files.filter(({ text }) => waits.test(text)).map(({ file }) => file);
  const text = readFileSync(join(ROOT, 'docs/decisions/0014-per-user-limits.md'), 'utf8');
  const rows = text.match(/^\| `.*$/gm) ?? [];
  const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, file]) => file));
  // It only makes the queue of ratings.
  expect(named.toSorted()).toEqual(waiting.filter((file) => file !== 'app.ts').toSorted());
});

describe('docs/api.md', () => {
  const cells = (readFileSync(join(ROOT, 'docs/api.md'), 'utf8').match(/^\| [^|]*(?=\|)/gm) ?? []).map((cell) => cell.slice(2));

  const endpoints = allEndpoints(defaultEnv()).filter(({ cost }) => cost !== 'public');
  it.each(endpoints.map(({ method, path }) => [method.toUpperCase(), path]))('has a row of %s %s', (method, path) =>
    expect(cells.some((cell) => cell.includes(`\`${method}`) && cell.includes(` ${path}\``))).toBe(true),
  );

  it.each(Object.keys(filterParameters(defaultEnv())))('has a row of the filter %s', (name) =>
    expect(cells.some((cell) => cell.includes(`\`${name}\``))).toBe(true),
  );
});

it.each(GROUPS)('docs/configuration.md lists every variable with its default and meaning, as the schemas define them: %s', (group) => {
  checkTable({
    file: 'configuration.md',
    begin: `<!-- ${group}: checked against the schemas by test/unit/documents.test.ts -->`,
    end: `<!-- /${group} -->`,
    header: ['variable', 'default', 'meaning'],
    rows: configurationRows(group),
  });
});

const readRoot = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

it('.env.example shows the default of every variable that has one: that of docker-compose.yml, or else that of the code', () => {
  const shown = new Map([...readRoot('.env.example').matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name = '', value]) => [name, value]));
  const compose = readRoot('docker-compose.yml');
  const defaults = GROUPS.flatMap(([group]) => configurationRows(group)).flatMap(([quoted = '', fallback = '']) => {
    const name = quoted.replaceAll('`', '');
    const ofCompose = new RegExp(`^ *${name}: \\$\\{${name}:-(.*)\\}$`, 'm').exec(compose)?.[1];
    const [, ofCode] = /^`(.*)`$/.exec(fallback) ?? [];
    return ofCode === undefined || !shown.has(name) ? [] : [[name, ofCompose ?? ofCode] as const];
  });
  expect(defaults.length).toBeGreaterThan(40);
  expect(defaults.map(([name]) => [name, shown.get(name)])).toEqual(defaults);
});

it('docker-compose.yml passes every variable of a service to its container, except ports', () => {
  const compose = readRoot('docker-compose.yml');
  const fixed = ['PORT', 'OPERATIONS_PORT', 'INDEXER_PORT'];
  const names = Object.keys({ ...describeAll(ApiEnv), ...describeAll(IndexerEnv) }).filter((name) => !fixed.includes(name));
  expect(names.filter((name) => !new RegExp(`^ +${name}:`, 'm').test(compose))).toEqual([]);
});

it('.env.example contains every variable of both services', () => {
  const example = readRoot('.env.example');
  for (const name of Object.keys({ ...describeAll(ApiEnv), ...describeAll(IndexerEnv) }))
    expect(example).toMatch(new RegExp(`\\b${name}\\b`));
});

it('every error of the OpenAPI document has a status that the table of kinds gives it', () => {
  const { paths } = openApiDocument(defaultEnv());
  type Response = { content?: Record<string, { examples?: Record<string, { value: { status: number; type: string } }> }> };
  const operations = Object.values<object>(paths).flatMap((methods) => Object.values<{ responses: Response[] }>({ ...methods }));
  const examples = operations
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap(({ content }) => Object.values(content?.['application/problem+json']?.examples ?? {}));
  expect(examples.length).toBeGreaterThan(50);
  const kinds: Record<string, { statuses: number[] }> = PROBLEM_KINDS;
  for (const { value } of examples) expect(kinds[value.type.replace('/docs#', '')]?.statuses).toContain(value.status);
});

function metricsRows(): string[][] {
  const rows = new Map<string, string[]>();
  for (const [service, registry] of Object.entries(registries)) {
    for (const { name, type, help, labelNames } of metricsOf(registry).filter((metric) => metric.name.startsWith('ugc_'))) {
      const labels = labelNames.length > 0 ? `{${labelNames.join(',')}}` : '';
      rows.set(name, [`\`${name}${labels}\``, type, rows.has(name) ? 'both' : service, help]);
    }
  }
  return [...rows.values()];
}

type Rule = { alert: string; expr: string; labels?: { severity?: string }; annotations?: object };

function alertRules(): Rule[] {
  return deployed<{ groups: { rules: Rule[] }[] }>('alerts.yml').groups.flatMap((group) => group.rules);
}

function deployed<T>(file: string): T {
  return parse(readFileSync(new URL(`../../deploy/prometheus/${file}`, import.meta.url), 'utf8')) as T;
}

it('docs/metrics.md lists every metric with its type and meaning, as the registries define them', () => {
  checkTable({
    file: 'metrics.md',
    begin: '<!-- metrics: checked against the registries by test/unit/documents.test.ts -->',
    end: '<!-- /metrics -->',
    header: ['metric', 'type', 'of', 'meaning'],
    rows: metricsRows(),
  });
});

it('docs/api.md has every reason for the place of an item in its table of orders, in the words of the OpenAPI document', () => {
  const [, table = ''] =
    /### In which order items come\n(.*?)\n\n(?!\|)(?=With `explain)/s.exec(readFileSync(join(ROOT, 'docs/api.md'), 'utf8')) ?? [];
  const rows = [...table.matchAll(/^\| ([^|]+) \|.*\| `(\w+)` \|$/gm)].map(([, item, reason]) => [reason, item]);
  expect(rows).toEqual(Object.entries(RANKING_REASONS));
});

it('docs/api.md lists every kind of error with its status, as the source defines them', () => {
  checkTable({
    file: 'api.md',
    begin: '<!-- kinds: checked against problems/problem-kinds.ts by test/unit/documents.test.ts -->',
    end: '<!-- /kinds -->',
    header: ['kind', 'status', 'when'],
    rows: Object.entries(PROBLEM_KINDS).map(([code, { statuses, description }]) => [`\`${code}\``, statuses.join(', '), description]),
  });
});

it('docs/api.md lists every code of an error with its values, as the source defines them', () => {
  checkTable({
    file: 'api.md',
    begin: '<!-- codes: checked against problems/error-codes.ts by test/unit/documents.test.ts -->',
    end: '<!-- /codes -->',
    header: ['code', 'values', 'what is wrong'],
    rows: Object.entries(ERROR_CODES).map(([code, { values, description }]) => [
      `\`${code}\``,
      values.map((name) => `\`${name}\``).join(', '),
      description,
    ]),
  });
});

it.each(Object.entries(registries))("the names and help texts of the %s's metrics follow the conventions of Prometheus", (_, registry) => {
  for (const { name, type, help } of metricsOf(registry).filter((metric) => metric.name.startsWith('ugc_'))) {
    expect(name).toMatch(/^ugc_[a-z0-9]+(_[a-z0-9]+)+$/);
    expect(help).toMatch(/^\S.*[^.]$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    if (type === 'histogram') expect(name).toMatch(/_(seconds|bytes|documents)$/);
  }
});

it('both services also export metrics of their process', () => {
  for (const registry of Object.values(registries))
    expect(metricsOf(registry).map(({ name }) => name)).toContain('nodejs_eventloop_lag_seconds');
});

it('no metric has a label for users or items, whose number is not limited', () => {
  const labels = Object.values(registries)
    .flatMap(metricsOf)
    .filter(({ name }) => name.startsWith('ugc_'))
    .flatMap(({ labelNames }) => labelNames);
  // There is at most one old transaction.
  const ofOldTransaction = ['pid', 'application', 'started'];
  expect(new Set(labels)).toEqual(new Set(['method', 'route', 'status', 'kind', 'result', 'resource', 'version', ...ofOldTransaction]));
});

it('every metric in an alert rule exists in a registry', () => {
  const known = new Set([...METRICS.values()].flatMap(seriesOf));
  const named = alertRules().flatMap(({ expr }) => expr.match(/\b(ugc|nodejs|process)_\w+/g) ?? []);
  expect(named.length).toBeGreaterThan(10);
  for (const name of named) expect([...known]).toContain(name);
});

it('every alert has a severity, a summary, a description and a section of the runbook', () => {
  const runbook = readRoot('docs/runbook.md');
  for (const { alert, labels, annotations } of alertRules()) {
    expect([alert, labels?.severity]).toEqual([alert, expect.stringMatching(/^(page|ticket)$/)]);
    expect(annotations).toMatchObject({
      summary: expect.any(String),
      description: expect.any(String),
      runbook_url: `https://runbook.example.com/docs/runbook.md#${alert.toLowerCase()}`,
    });
    expect(runbook).toContain(`\n## ${alert}\n\n**${labels?.severity}.**`);
  }
});

const DOCUMENTS = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md'], { cwd: fileURLToPath(new URL('../../', import.meta.url)) });

it.each(DOCUMENTS)('the links of %s lead to files and sections that exist', (name) => {
  const links = [...withoutBlocks(name).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const missing = links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = '', section] = link.split('#');
      const target = path === '' ? name : join(dirname(name), path);
      return !existsSync(new URL(`../../${target}`, import.meta.url)) || (section !== undefined && !sectionsOf(target).includes(section));
    });
  expect(missing).toEqual([]);
});

function sectionsOf(name: string): string[] {
  const headings = [...withoutBlocks(name).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase());
  return headings.map((heading) => heading.replaceAll(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-'));
}

function withoutBlocks(name: string): string {
  return readRoot(name).replaceAll(/^ *```.*?^ *```/gms, '');
}

it('docs/security.md names test files that exist as proof', () => {
  const sections = readRoot('docs/security.md').split(/^#+ /m);
  const proofs = sections.flatMap((section) => {
    const folder = /proof \(`test\/(\w+)`\)/.exec(section)?.[1] ?? 'api';
    const cells = [...section.matchAll(/^\|.*\|([^|]*)\|$/gm)].map(([, cell = '']) => cell);
    const names = cells.flatMap((cell) => [...cell.matchAll(/`([a-z-]+(?:\/[a-z-]+)*)`/g)].map(([, name = '']) => name));
    return names.filter((name) => !name.startsWith('test/')).map((name) => (name.includes('/') ? name : `${folder}/${name}`));
  });
  expect(proofs.length).toBeGreaterThan(50);
  expect(proofs.filter((name) => !existsSync(new URL(`../${name}.test.ts`, import.meta.url)))).toEqual([]);
});

it('an error that is no fault of the service is left out by the alert on errors', () => {
  const [, left = ''] = /kind![=~]"([^"]*)"/.exec(alertRules().find(({ alert }) => alert === 'UgcServerErrors')?.expr ?? '') ?? [];
  const codes = Object.keys(PROBLEM_KINDS) as ProblemCode[];
  expect(left.split('|')).toEqual(codes.filter((code) => !isFault(code)));
});

it('a missing indexer is an alert only while one is wanted, because an autoscaler may stop all of them', () => {
  const rule = alertRules().find(({ alert }) => alert === 'UgcNoIndexer');
  expect(rule?.expr).toMatch(/^max by \(namespace\) \(ugc_indexers_wanted\) > 0 unless /);
});

it('the Prometheus configuration loads the rules and scrapes both services', () => {
  const { rule_files: files, scrape_configs: jobs } = deployed<{ rule_files: string[]; scrape_configs: { job_name: string }[] }>(
    'prometheus.yml',
  );
  expect(files).toEqual(['alerts.yml']);
  expect(jobs.map(({ job_name: name }) => name)).toEqual(['ugc-api', 'ugc-indexer', 'prometheus']);
});

/** Kustomize reads no files outside of its folder. */
const FOLDERS = ['grafana/dashboards', 'kubernetes/components/prometheus-operator'];
const panels = panelsOf(dashboard());
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));

it.each(FOLDERS)('deploy/%s has the dashboard that follows from the registries', (folder) => {
  const file = new URL(`../../deploy/${folder}/ugc-service.json`, import.meta.url);
  const expected = `${JSON.stringify(dashboard(), undefined, 2)}\n`;
  if (process.env['UPDATE_DOCS']) writeFileSync(file, expected);
  if (readFileSync(file, 'utf8') !== expected)
    throw new Error('The dashboard is not up to date. Run UPDATE_DOCS=1 npx pnpm test unit/documents');
});

it('every metric of the service is on a panel', () => {
  const queried = queries.map(({ expr }) => expr).join('\n');
  const own = [...METRICS.values()].filter(({ name }) => name.startsWith('ugc_'));
  const missing = own.filter((metric) => !seriesOf(metric).some((name) => new RegExp(`\\b${name}\\b`).test(queried)));
  expect(missing.map(({ name }) => name)).toEqual([]);
  expect(own.length).toBeGreaterThan(30);
});

it('every metric and every label that a panel names exists', () => {
  const series = new Map([...METRICS.values()].flatMap((metric) => seriesOf(metric).map((name) => [name, metric.labelNames] as const)));
  const OF_PROMETHEUS = ['namespace', 'job', 'instance', 'le', 'alertname', 'alertstate'];
  for (const { title, targets } of panels) {
    const text = targets.map(({ expr }) => expr).join('\n');
    const named = text.match(/\b(ugc|nodejs|process)_\w+/g) ?? [];
    expect([title, named.filter((name) => !series.has(name))]).toEqual([title, []]);
    const known = new Set([...OF_PROMETHEUS, ...named.flatMap((name) => series.get(name) ?? [])]);
    const legends = targets.map(({ legendFormat }) => legendFormat).join(' ');
    const labels = [...text.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
    labels.push(...[...text.matchAll(/(\w+)=~?"/g), ...legends.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label));
    expect([title, labels.filter((label) => !known.has(label))]).toEqual([title, []]);
  }
});

it('every panel has a title of its own, a description and a unit', () => {
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  for (const panel of panels) {
    expect(panel).toMatchObject({ description: expect.stringMatching(/\S/), fieldConfig: { defaults: { unit: expect.any(String) } } });
    expect(panel.targets.length).toBeGreaterThan(0);
  }
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const withPromtool = (name: string, test: () => void): void =>
  hasPromtool ? it(name, test) : it.skip(`${name} (skipped: promtool is not on PATH)`, test);

const FIVE_MINUTES = '5m';
const SAMPLES = '0+1x60';

/** Series of a metric as both services export it. */
function inputSeries(metric: Metric): { series: string; values: string }[] {
  const labels = { job: 'ugc-api', instance: 'a', ...Object.fromEntries(metric.labelNames.map((label) => [label, 'some'])) };
  const variants = metric.labelNames.includes('status') ? [{ status: '500' }, { status: '503' }] : [{}];
  return variants.flatMap((variant) =>
    seriesOf(metric).flatMap((name) => {
      const bounds = name.endsWith('_bucket') ? [{ le: '1' }, { le: '+Inf' }] : [{}];
      return bounds.map((bound) => ({ series: toSeries(name, { ...labels, ...variant, ...bound }), values: SAMPLES }));
    }),
  );
}

function toSeries(name: string, labels: Record<string, string>): string {
  return `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(',')}}`;
}

withPromtool('every query of the dashboard has a result if the services export their metrics', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
  const always = [
    { series: 'up{job="ugc-api",instance="a"}', values: '1x60' },
    { series: 'up{job="ugc-indexer",instance="i"}', values: '1x60' },
    { series: 'ALERTS{alertname="UgcNoApi",alertstate="firing"}', values: '1x60' },
  ];
  const tests = queries.map(({ expr }) => ({
    expr: `count(${expr.replaceAll('$__rate_interval', FIVE_MINUTES)}) > bool 0`,
    eval_time: '20m',
    exp_samples: [{ labels: '{}', value: 1 }],
  }));
  const input = [...always, ...[...METRICS.values()].flatMap(inputSeries)];
  const file = join(folder, 'dashboard.test.yml');
  writeFileSync(
    file,
    stringify({ rule_files: [], evaluation_interval: '30s', tests: [{ interval: '30s', input_series: input, promql_expr_test: tests }] }),
  );
  try {
    execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

withPromtool('the alert rules fire for the faults that they are meant for', () => {
  execFileSync('promtool', ['test', 'rules', 'deploy/prometheus/alerts.test.yml'], { cwd: ROOT, encoding: 'utf8' });
});

it('the documented commands are all that the scripts of BullMQ for adding, running, counting and recovering jobs contain', () => {
  const used = [
    'addStandardJob',
    'getCounts',
    'getState',
    'moveToActive',
    'moveToFinished',
    'extendLocks',
    'moveStalledJobsToWait',
    'pause',
  ];
  const contents = (Object.values(scripts) as { name?: string; content?: string }[]).filter(({ name = '' }) => used.includes(name));
  expect(contents).toHaveLength(used.length);
  const commands = contents.flatMap(({ content = '' }) =>
    [...content.matchAll(/rcall\(["'](\w+)["']/g)].map(([, name = '']) => name.toLowerCase()),
  );
  expect(commands.filter((name) => !REDIS_COMMANDS.includes(name))).toEqual([]);
});

it('docs/stores.md names exactly the commands that the service needs', () => {
  const document = readRoot('docs/stores.md');
  const [, rules = ''] = /ACL SETUSER ugc [^`]*-@all [\\\s]*([^`]*)```/.exec(document) ?? [];
  expect(rules.trim().split(/[\s\\]+/)).toEqual(REDIS_COMMANDS.map((name) => `+${name}`));
});

describe('release', () => {
  it('the version of the release is a semantic version, and CHANGELOG.md has a section for it', () => {
    expect(VERSION).toMatch(/^\d+\.\d+\.\d+$/);
    expect(readRoot('CHANGELOG.md')).toMatch(new RegExp(`^## ${VERSION.replaceAll('.', '\\.')}\\b`, 'm'));
  });

  it('metrics and commands tell the version', async () => {
    const registry = new Registry();
    measureVersion(registry);
    expect(await registry.metrics()).toContain(`ugc_build_info{version="${VERSION}"} 1`);
    expect(createCommand({ name: 'command', description: '', exitCodes: {}, example: '' }).version()).toBe(VERSION);
  });

  it('Docker Compose limits logs and memory, lets SELinux permit its mounts, and starts the API without Redis and Elasticsearch', () => {
    type Service = { restart?: string; mem_limit?: string; logging?: object; volumes?: string[]; depends_on?: object };
    const { services } = parse(readRoot('docker-compose.yml'), { merge: true }) as { services: Record<string, Service> };
    const running = Object.entries(services).filter(([, { restart }]) => restart !== undefined);
    expect(running.length).toBeGreaterThan(5);
    for (const [name, service] of running) {
      const logging = { driver: 'json-file', options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } };
      expect([name, service]).toEqual([name, expect.objectContaining({ mem_limit: expect.any(String), logging })]);
    }
    const mounts = Object.values(services).flatMap(({ volumes = [] }) => volumes.filter((volume) => volume.startsWith('.')));
    expect(mounts.filter((mount) => !/:(.*,)?z$/.test(mount))).toEqual([]);
    expect(Object.keys(services['api']?.depends_on ?? {})).toEqual(['migrate']);
  });

  it('Docker Compose builds the image of docker-bake.hcl unless UGC_IMAGE names another one', () => {
    const { services } = parse(readRoot('docker-compose.yml'), { merge: true }) as {
      services: Record<string, { image: string; build?: unknown }>;
    };
    expect(services['api']?.image).toBe('${UGC_IMAGE:-ugc-service}');
    expect(Object.keys(services).filter((name) => services[name]?.build)).toEqual(['secrets', 'embedder']);
    expect(readRoot('docker-bake.hcl')).toMatch(/variable "UGC_IMAGE" \{\n.*\n\s+default\s+= "ugc-service"/);
  });

  describe('the embedding service of Docker Compose', () => {
    const { services } = parse(readRoot('docker-compose.yml'), { merge: true }) as {
      services: Record<
        string,
        { profiles?: string[]; build?: { target?: string }; environment?: Record<string, string>; depends_on?: object }
      >;
    };

    it('is built and started with the profile semantic only, and nothing waits for it', () => {
      expect(services['embedder']).toMatchObject({ profiles: ['semantic'], build: { target: 'embedder' } });
      expect(Object.values(services).filter(({ depends_on: needed = {} }) => 'embedder' in needed)).toEqual([]);
    });

    it('has the model of npx pnpm start --semantic, by checksum, and the runtime of its lockfile', () => {
      const dockerfile = readRoot('Dockerfile');
      expect(dockerfile).toContain(`-Dartifact=${MODEL.coordinates} `);
      for (const [file, checksum] of Object.entries(SHA256)) expect(dockerfile).toContain(`${checksum} ${file} `);
      expect(dockerfile).toMatch(
        /COPY services\/embedder\/runtime\/package.json services\/embedder\/runtime\/package-lock.json .*\n.*\n.*\n +npm ci --ignore-scripts/,
      );
    });

    it('is not the image that is built without a target', () => {
      const stages = readRoot('Dockerfile').match(/^FROM .*$/gm) ?? [];
      expect(stages).toContain('FROM base AS embedder');
      expect(stages.at(-1)).toBe('FROM base');
    });
  });
});

describe('the image', () => {
  const dependenciesOf = (folder: string): string[] => {
    const { dependencies = {} } = JSON.parse(readRoot(`${folder}/package.json`)) as { dependencies?: Record<string, string> };
    const names = Object.keys(dependencies).filter((name) => name.startsWith('@ugc/'));
    return names.map((name) => name.replace('@ugc/', 'packages/')).flatMap((each) => [each, ...dependenciesOf(each)]);
  };
  const packages = [...new Set(['services/api', 'services/indexer'].flatMap(dependenciesOf))].filter((each) => each !== 'packages/web');

  it.each(packages)('has %s, which a service imports, and installs its dependencies', (folder) => {
    const dockerfile = readRoot('Dockerfile');
    expect(dockerfile).toContain(`\nCOPY ${folder}/package.json ${folder}/\n`);
    expect(dockerfile).toContain(`\nCOPY --chmod=755 ${folder} ${folder}\n`);
    expect(readRoot('.dockerignore')).toContain(`\n!${folder}\n`);
  });
});

it.each(globSync(['*.md', '{docs,packages,tools,deploy}/**/*.md'], { cwd: ROOT, exclude: ['**/node_modules/**'] }))(
  '%s has prose in lines of at most 120 characters',
  (file) => {
    const prose = readFileSync(join(ROOT, file), 'utf8').replace(/^ *```[^]*?^ *```/gm, '');
    // A table has a row in one line, and a word that is longer has no place to be broken at.
    const isProse = (line: string): boolean => !/^\s*(?:\||<|!?\[)/.test(line) && line.trimStart().slice(0, 100).includes(' ');
    expect(prose.split('\n').filter((line) => [...line].length > 120 && isProse(line))).toEqual([]);
  },
);

describe('a path of this repository', () => {
  const ROOT = new URL('../../', import.meta.url);
  const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(new URL(file, ROOT)));
  const FOLDERS = new Set(FILES.flatMap((file) => file.split('/').slice(0, -1).map((_, at, names) => names.slice(0, at + 1).join('/')))); // prettier-ignore
  const FOLDER_NAMES = new Set(Array.from(FOLDERS, (folder) => folder.split('/').at(-1)));
  /** Each path from each of its folders on, as documents write it: `search/session.ts` and `search/session`. */
  const WRITTEN = new Set(
    [...FILES, ...FOLDERS].flatMap((path) => {
      const parts = path.split('/');
      return parts.flatMap((_, at) => {
        const end = parts.slice(at).join('/');
        return [end, end.replace(/(?:\.test)?\.tsx?$/, '')];
      });
    }),
  );
  const MEDIA_TYPE = /^(?:application|image|text)\/[\w.+-]+$/;

  /** Whether a text in backquotes can only be meant as one: it names a source file, or begins with a folder. */
  function isPath(text: string): boolean {
    if (/[^\w./*-]/.test(text) || /^[./]|NNN/.test(text) || MEDIA_TYPE.test(text)) return false;
    const [first, ...more] = text.split('/');
    return more.length === 0 ? /\.(?:tsx?|sql)$/.test(text) : FOLDER_NAMES.has(first);
  }

  const exists = (path: string): boolean =>
    path.includes('*') ? globSync(path, { cwd: ROOT.pathname }).length > 0 : WRITTEN.has(path.replace(/\/$/, ''));

  // The changelog tells of files that were.
  const documents = FILES.filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md');
  const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');

  it('that a document names exists', () => {
    const named = documents.flatMap((file) => {
      const prose = read(file).replace(/^```[^]*?^```/gm, '');
      return [...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, text = '']) => (isPath(text) ? [{ file, text }] : []));
    });
    expect(named.length).toBeGreaterThan(200);
    expect(named.filter(({ text }) => !exists(text))).toEqual([]);
  });

  it('that the source names in docs exists', () => {
    const sources = FILES.filter((file) => /^(?:services|packages|tools|test\/(?!kept|unit\/documents))[^]*\.(?:tsx?|js)$/.test(file));
    const named = [...sources, 'eslint.config.js'].flatMap((file) =>
      [...read(file).matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([path]) => ({ file, path })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ path }) => !existsSync(new URL(path, ROOT)))).toEqual([]);
  });

  it('is told from what only looks like one', () => {
    for (const text of ['3/4', 'text/html', 'salt/pepper', 'node.js', 'a/b c', '/api/content', '.local/env', 'eld/small', 'NNN_name.js'])
      expect(isPath(text)).toBe(false);
    for (const text of ['search/session.ts', 'ways.ts', 'services/api/src', 'api/lists', 'gone.ts', 'docs/gone.md'])
      expect(isPath(text)).toBe(true);
    expect(['search/session', 'docs/api.md', 'services/*/src/commands', 'gone.ts', 'docs/gone.md'].map(exists)).toEqual([true, true, true, false, false]); // prettier-ignore
  });
});
