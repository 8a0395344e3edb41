import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '@ugc/api/endpoints/openapi';
import { ApiEnv } from '@ugc/api/env';
import { PROBLEM_KINDS } from '@ugc/api/http/problem-kinds';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { IndexerEnv } from '@ugc/indexer/env';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { breachesOfApi, breachesOfSchema } from '../support/compatibility/breaches.ts';
import { commandEntries, scriptEntries } from '../support/compatibility/commands.ts';
import { INTENDED_BREACHES } from '../support/compatibility/intended-breaches.ts';
import { describedFields } from '../support/compatibility/described-fields.ts';
import { expectKept, expectKeptEntries, KEPT_RELEASES } from '../support/compatibility/kept.ts';
import { logEntries } from '../support/compatibility/log-lines.ts';
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

  it('migrations never change', () => {
    const files = globSync(join(CHECKOUT, 'packages/shared/migrations/*')).toSorted();
    const checksums = files.map((file) => `${basename(file)} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`);
    expect(checksums.length).toBeGreaterThan(0);
    expectKeptEntries('migrations.json', checksums);
  });

  it('are broken by a new major version only, and for a reason', () => {
    for (const reason of Object.values(INTENDED_BREACHES)) expect(reason.length).toBeGreaterThan(20);
  });
});
