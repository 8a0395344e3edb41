import { expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { dashboard, panelsOf } from '../support/metrics/dashboard.ts';
import { METRICS, seriesOf, type Metric } from '../support/metrics/registries.ts';

/** Kustomize reads no files outside of its folder. */
const FOLDERS = ['grafana/dashboards', 'kubernetes/components/prometheus-operator'];
const panels = panelsOf(dashboard());
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));

it.each(FOLDERS)('deploy/%s has the dashboard that follows from the registries', (folder) => {
  const file = new URL(`../../deploy/${folder}/ugc-service.json`, import.meta.url);
  const expected = `${JSON.stringify(dashboard(), undefined, 2)}\n`;
  if (process.env['UPDATE_DOCS']) writeFileSync(file, expected);
  if (readFileSync(file, 'utf8') !== expected)
    throw new Error('The dashboard is not up to date. Run UPDATE_DOCS=1 npx pnpm test unit/dashboard');
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
  const OF_PROMETHEUS = ['job', 'instance', 'le', 'alertname', 'alertstate'];
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

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
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
