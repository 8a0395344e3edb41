import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '@ugc/api/endpoints/openapi';
import { ApiEnv } from '@ugc/api/env';
import { PROBLEM_KINDS } from '@ugc/items/problems/problem-kinds';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { IndexerEnv } from '@ugc/indexer/env';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { PARAMETERS } from '../../packages/web/src/page/location/parameters.ts';
import { EVERYTHING, parseView, type View } from '../../packages/web/src/page/location/query-string.ts';
import { breachesOfApi, breachesOfSchema } from '../support/compatibility/breaches.ts';
import { commandEntries, scriptEntries } from '../support/compatibility/commands.ts';
import { HARMLESS_CHANGES, INTENDED_BREACHES } from '../support/compatibility/intended-breaches.ts';
import { describedFields } from '../support/compatibility/described-fields.ts';
import {
  alertEntries,
  composeEntries,
  composeNeeds,
  imageEntries,
  kubernetesEntries,
  kubernetesNeeds,
  monitoringEntries,
  privilegeEntries,
} from '../support/compatibility/deployment.ts';
import { expectKept, expectKeptEntries, expectNoneAdded, expectStillKept, KEPT_RELEASES } from '../support/compatibility/kept.ts';
import { lineEntries, logEntries } from '../support/compatibility/log-lines.ts';
import { statusEntries } from '../support/compatibility/status-types.ts';
import { acceptedValues, breachesOfValues, type Accepted } from '../support/compatibility/variable-values.ts';
import { metricsOf, registries } from '../support/metrics/registries.ts';
import { defaultEnv } from '../support/processes/default-env.ts';

// docs/compatibility.md says what is promised. `npx pnpm release --freeze` keeps it for the version of package.json.

const read = (file: string): string => readFileSync(join(CHECKOUT, file), 'utf8');

describe(`the promises of ${KEPT_RELEASES.join(', ') || 'no release yet'}`, () => {
  it('paths, methods, parameters, fields and statuses of the API are only added', () => {
    expectKept('openapi.json', openApiDocument(defaultEnv()), breachesOfApi);
  });

  it('kinds of errors keep their statuses', () => {
    const kinds = Object.entries(PROBLEM_KINDS).flatMap(([kind, { statuses }]) => statuses.map((status) => `${kind} ${status}`));
    expect(kinds.length).toBeGreaterThan(30);
    expectKeptEntries('kinds-of-errors.json', kinds);
  });

  it.each([
    ['api', ApiEnv],
    ['indexer', IndexerEnv],
  ] as [string, z.ZodType][])('settings keep their names and defaults, and accept what they accepted: %s', (service, schema) => {
    const settings = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    expect(Object.keys(settings.properties ?? {}).length).toBeGreaterThan(20);
    expectKept(`settings-${service}.json`, settings, breachesOfSchema);
  });

  it.each([
    ['api', ApiEnv],
    ['indexer', IndexerEnv],
  ] as const)('variables accept the values that they accepted, with the same meaning: %s', (service, schema) => {
    const record = (): Accepted[] => acceptedValues(schema);
    expectStillKept<Accepted[]>(`values-${service}.json`, record, (kept) => {
      expect(kept.flatMap(({ values }) => Object.values(values).flatMap((each) => Object.keys(each))).length).toBeGreaterThan(1_000);
      return breachesOfValues(schema, kept);
    });
  });

  it('a deployment with Docker Compose keeps its services, volumes, ports, profiles and variables, and needs nothing more', () => {
    const entries = composeEntries();
    expect(entries).toContain('docker-compose.yml: service postgres.volumes[] postgres:/var/lib/postgresql');
    expect(entries).toContain('docker-compose.yml: project ugc-service');
    expectKeptEntries('compose.json', entries);
    expectNoneAdded('compose-needs.json', composeNeeds());
  });

  it('a deployment on Kubernetes keeps its names, labels, selectors, ports and components, and needs nothing more', () => {
    const entries = kubernetesEntries();
    expect(entries).toContain('base: Deployment ugc-api has selector {"matchLabels":{"app.kubernetes.io/name":"ugc-api"}}');
    expect(entries).toContain('components/keda-metrics-api: component ../keda');
    expectKeptEntries('kubernetes.json', entries);
    // A folder that is new asks nobody for anything.
    const needs = kubernetesNeeds();
    expect(needs).toContain('base: secretRef ugc-tokens');
    expectKept('kubernetes-needs.json', needs, (kept, now) => {
      const folderOf = (entry: string): string => entry.split(': ')[0] ?? '';
      return now.filter((entry) => kept.some((each) => folderOf(each) === folderOf(entry)) && !kept.includes(entry));
    });
  });

  it('the image keeps its user, ports, folders and programs, and the release its images', () => {
    const entries = imageEntries();
    expect(entries).toContain('image service: folder /var/lib/ugc/jwt');
    expect(entries).toContain('image service: USER node');
    expectKeptEntries('image.json', entries);
  });

  it('the services need no more privileges in Elasticsearch', () => {
    expectNoneAdded('privileges.json', privilegeEntries());
  });

  it('variables of Docker Compose keep their names and defaults', () => {
    const variables = [...read('.env.example').matchAll(/^#? ?([A-Z_]+=.*)$/gm)].map(([, line = '']) => line);
    expect(variables.length).toBeGreaterThan(50);
    expectKeptEntries('variables-of-compose.json', variables);
  });

  it('commands keep their arguments, options and exit codes', () => {
    const entries = commandEntries();
    expect(entries).toContain('services/api/src/commands/users.ts erase: option --wait <SECONDS>');
    expect(entries).toContain('services/api/src/commands/users.ts erase: argument 1 <ID...>');
    expect(entries).toContain('services/indexer/src/commands/index-status.ts: exit code 75');
    expectKeptEntries('commands.json', [...entries, ...scriptEntries()]);
  });

  it('metrics keep their types and labels', () => {
    const entries = Object.entries(registries).flatMap(([service, registry]) =>
      metricsOf(registry)
        .filter(({ name }) => name.startsWith('ugc_'))
        .flatMap(({ name, type, labelNames }) => [
          `${service} ${name}: ${type}`,
          ...labelNames.map((label) => `${service} ${name}: label ${label}`),
        ]),
    );
    expect(entries).toContain('API ugc_http_request_duration_seconds: label route');
    expectKeptEntries('metrics.json', entries);
  });

  it('alerts keep their names', () => {
    const { groups } = parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: { alert: string }[] }[] };
    expectKeptEntries(
      'alerts.json',
      groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)),
    );
  });

  it('alerts keep their severities, labels and conditions, and jobs and the dashboard their names', () => {
    const entries = alertEntries();
    expect(entries).toContain('UgcNoApi: severity page');
    // Of 1.0.0, whose kept files lack the panels.
    expect(monitoringEntries()).toContain('panel 53 of the dashboard is Starts within 30 minutes');
    expectKeptEntries('alert-rules.json', [...entries, ...monitoringEntries()]);
  });

  it('histograms keep their buckets, and what rules and dashboards ask for of other metrics stays', () => {
    const used = [read('deploy/prometheus/alerts.yml'), read('deploy/grafana/dashboards/ugc-service.json')].join('\n');
    const entries = Object.entries(registries).flatMap(([service, registry]) =>
      metricsOf(registry).flatMap(({ name, upperBounds }) => [
        ...(upperBounds ?? []).map((bound) => `${service} ${name}: bucket ${bound}`),
        ...(!name.startsWith('ugc_') && used.includes(name) ? [`${service} ${name}`] : []),
      ]),
    );
    expect(entries).toContain('API process_start_time_seconds');
    expect(entries).toContain('indexer ugc_index_lag_seconds: bucket 1');
    expectKeptEntries('metric-values.json', entries);
  });

  it('the operations port keeps the fields and values of its status', () => {
    const entries = statusEntries();
    expect(entries).toContain('OperationsStatus.backlog.now.value.oldestPendingSeconds: null');
    expect(entries).toContain("OperationsStatus.stores.postgres: 'read_only'");
    expectKeptEntries('operations-status.json', entries);
  });

  it('each message of the log keeps its level, and its fields their places', () => {
    const entries = lineEntries();
    expect(entries).toContain('request: field durationMs');
    expect(entries).toContain('Redis does not respond: level warn');
    expectKeptEntries('log-lines.json', entries);
  });

  it('messages and fields of the log stay', () => {
    const entries = logEntries();
    expect(entries).toContain('message api started');
    expect(entries).toContain('message Redis does not respond');
    expect(entries).toContain('field indexName');
    const [, table = ''] = /^## Log fields\n(.*?)^## /ms.exec(read('docs/metrics.md')) ?? [];
    const documented = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => `field ${name}`),
    );
    expect(documented).toContain('field durationMs');
    expectKeptEntries('log.json', [...entries, ...documented]);
  });

  it('fields of an index keep their type and analyzer: a release also searches the index of the one before', () => {
    expectKept('index.json', INDEX_BODY, (kept, now) => {
      const after = new Map(describedFields(now.mappings.properties));
      return describedFields(kept.mappings.properties).flatMap(([field, form]) => {
        const formNow = after.get(field);
        return formNow === undefined || formNow === form ? [] : [`${field}: ${form} became ${formNow}; give it a new name`];
      });
    });
  });

  it('spans keep their names and attributes', () => {
    const files = globSync('{services/{api,indexer},packages/{items,shared}}/src/**/*.ts', { cwd: CHECKOUT });
    const source = files.map(read).join('\n');
    const [, table = ''] = /^\| span \|.*?\n(.*?)\n\n/ms.exec(read('docs/metrics.md')) ?? [];
    const documented = [...table.matchAll(/`([^`]+)`/g)].map(([, name]) => `documented: ${name}`);
    const attributes = [...source.matchAll(/'((?:ugc|http|db)\.[a-z_.]+)'/g)].map(([, name]) => `attribute ${name}`);
    expect(documented).toContain('documented: index-content');
    expect(attributes).toContain('attribute ugc.request_id');
    expectKeptEntries('spans.json', [...documented, ...attributes]);
  });

  it('addresses of the web page, which people keep, mean what they meant', () => {
    const samples = [
      '1',
      '4.5',
      'true',
      'false',
      'a b',
      'all',
      'any',
      'upload',
      'edit',
      '2026-11-20',
      '2026-11-20T09:30:00Z',
      'name,asc',
      'best',
      'relevance,desc',
    ];
    const meaningOf = (address: string): unknown => {
      const { ignored: _, ...view } = parseView(address);
      return Object.fromEntries(Object.entries(view).filter(([name, value]) => !isDeepStrictEqual(value, EVERYTHING[name as keyof View])));
    };
    const record = (): [string, unknown][] =>
      Object.keys(PARAMETERS)
        .flatMap((name) => samples.map((value) => `?${new URLSearchParams({ [name]: value })}`))
        .map((address): [string, unknown] => [address, meaningOf(address)])
        .filter(([, meaning]) => !isDeepStrictEqual(meaning, {}));
    expect(record().length).toBeGreaterThan(50);
    expectStillKept<[string, unknown][]>('addresses-of-page.json', record, (kept) =>
      kept
        .filter(([address, meaning]) => !isDeepStrictEqual(meaningOf(address), meaning))
        .map(([address]) => `${address} means something else`),
    );
  });

  it('migrations never change', () => {
    const files = globSync(join(CHECKOUT, 'packages/shared/migrations/*')).toSorted();
    const checksums = files.map((file) => `${basename(file)} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`);
    expect(checksums.length).toBeGreaterThan(0);
    expectKeptEntries('migrations.json', checksums);
  });

  it('are broken by a new major version only, and for a reason', () => {
    for (const reason of Object.values({ ...INTENDED_BREACHES, ...HARMLESS_CHANGES })) expect(reason.length).toBeGreaterThan(20);
  });
});
