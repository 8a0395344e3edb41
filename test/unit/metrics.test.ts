import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { checkTable } from '../support/jest/docs-table.ts';
import { METRICS, metricsOf, registries, seriesOf } from '../support/metrics/registries.ts';

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
    begin: '<!-- metrics: checked against the registries by test/unit/metrics.test.ts -->',
    end: '<!-- /metrics -->',
    header: ['metric', 'type', 'of', 'meaning'],
    rows: metricsRows(),
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
  expect(new Set(labels)).toEqual(new Set(['method', 'route', 'status', 'kind', 'result', 'resource', 'version']));
});

it('every metric in an alert rule exists in a registry', () => {
  const known = new Set([...METRICS.values()].flatMap(seriesOf));
  const named = alertRules().flatMap(({ expr }) => expr.match(/\b(ugc|nodejs|process)_\w+/g) ?? []);
  expect(named.length).toBeGreaterThan(10);
  for (const name of named) expect([...known]).toContain(name);
});

it('every alert has a severity, a summary, a description and a section of the runbook', () => {
  const runbook = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  for (const { alert, labels, annotations } of alertRules()) {
    expect([alert, labels?.severity]).toEqual([alert, expect.stringMatching(/^(page|ticket)$/)]);
    expect(annotations).toMatchObject({
      summary: expect.any(String),
      description: expect.any(String),
      runbook: `docs/operating.md#${alert.toLowerCase()}`,
    });
    expect(runbook).toContain(`\n### ${alert}\n\n**${labels?.severity}.**`);
  }
});

it('a missing indexer is an alert only while one is wanted, because an autoscaler may stop all of them', () => {
  const rule = alertRules().find(({ alert }) => alert === 'UgcNoIndexer');
  expect(rule?.expr).toMatch(/^\(.*\) and on \(\) max\(ugc_indexers_wanted\) > 0$/);
});

it('the Prometheus configuration loads the rules and scrapes both services', () => {
  const { rule_files: files, scrape_configs: jobs } = deployed<{ rule_files: string[]; scrape_configs: { job_name: string }[] }>(
    'prometheus.yml',
  );
  expect(files).toEqual(['alerts.yml']);
  expect(jobs.map(({ job_name: name }) => name)).toEqual(['ugc-api', 'ugc-indexer', 'prometheus']);
});
