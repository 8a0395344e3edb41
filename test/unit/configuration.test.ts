import { expect, it } from '@jest/globals';
import { ApiEnv } from '@ugc/api/env';
import { IndexerEnv } from '@ugc/indexer/env';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { checkTable } from '../support/jest/docs-table.ts';

function configurationRows(): string[][] {
  const variables = { ...describeAll(ApiEnv), ...describeAll(IndexerEnv) };
  return Object.entries(variables).map(([name, { description, fallback }]) => [`\`${name}\``, fallback, description]);
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

it('docs/configuration.md lists every variable with its default and meaning, as the schemas define them', () => {
  checkTable({
    file: 'configuration.md',
    begin: '<!-- configuration: checked against the schemas by test/unit/configuration.test.ts -->',
    end: '<!-- /configuration -->',
    header: ['variable', 'default', 'meaning'],
    rows: configurationRows(),
  });
});

const readRoot = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

it('.env.example shows the default of every variable that has one: that of docker-compose.yml, or else that of the code', () => {
  const shown = new Map([...readRoot('.env.example').matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name = '', value]) => [name, value]));
  const compose = readRoot('docker-compose.yml');
  const defaults = configurationRows().flatMap(([quoted = '', fallback = '']) => {
    const name = quoted.replaceAll('`', '');
    const ofCompose = new RegExp(`^ *${name}: \\$\\{${name}:-(.*)\\}$`, 'm').exec(compose)?.[1];
    const [, ofCode] = /^`(.*)`$/.exec(fallback) ?? [];
    return ofCode === undefined || !shown.has(name) ? [] : [[name, ofCompose ?? ofCode] as const];
  });
  expect(defaults.length).toBeGreaterThan(40);
  expect(defaults.map(([name]) => [name, shown.get(name)])).toEqual(defaults);
});

it('docker-compose.yml passes every variable of a service to its container, except ports and the address', () => {
  const compose = readRoot('docker-compose.yml');
  const fixed = ['PORT', 'OPERATIONS_PORT', 'INDEXER_PORT', 'BIND_ADDRESS', 'OTEL_SERVICE_NAME'];
  const names = Object.keys({ ...describeAll(ApiEnv), ...describeAll(IndexerEnv) }).filter((name) => !fixed.includes(name));
  expect(names.filter((name) => !new RegExp(`^ +${name}:`, 'm').test(compose))).toEqual([]);
});

it('.env.example contains every variable of both services', () => {
  const example = readRoot('.env.example');
  for (const name of Object.keys({ ...describeAll(ApiEnv), ...describeAll(IndexerEnv) }))
    expect(example).toMatch(new RegExp(`\\b${name}\\b`));
});
