import { expect, it } from '@jest/globals';
import { ApiEnv } from '@ugc/api/env';
import { IndexerEnv } from '@ugc/indexer/env';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const BEGIN = '<!-- configuration: checked against the schemas by test/unit/configuration.test.ts -->\n';
const END = '<!-- /configuration -->';

/** The table that README.md must have. When this test fails, put what it prints there. */
function configurationTable(): string {
  const variables = { ...describeAll(ApiEnv), ...describeAll(IndexerEnv) };
  const rows = Object.entries(variables).map(([name, { description, fallback }]) => `| \`${name}\` | ${fallback} | ${description} |`);
  return ['', '| variable | default | meaning |', '| --- | --- | --- |', ...rows, '', ''].join('\n');
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

it('the README says every variable with its default, as the schemas have them', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const table = readme.slice(readme.indexOf(BEGIN) + BEGIN.length, readme.indexOf(END));
  expect(table).toBe(configurationTable());
});

it('.env.example names every variable', () => {
  const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
  for (const name of Object.keys({ ...describeAll(ApiEnv), ...describeAll(IndexerEnv) }))
    expect(example).toMatch(new RegExp(`\\b${name}\\b`));
});
