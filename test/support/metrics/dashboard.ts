import { METRICS, type Metric } from './registries.ts';

/** A series with its legend, which may contain labels such as `{{route}}`. */
type Query = { expr: string; legend: string };

/**
 * `metrics`: what the panel is about; their help texts are its description. Without `queries`, the query follows from
 * the type of each metric: a counter is a rate, a histogram three quantiles, a gauge the greatest value of all processes.
 * `id`: of a panel that 1.0.0 does not have, above 100. The others are numbered, so addresses with `viewPanel` stay.
 */
type PanelDefinition = { title: string; metrics: string[]; queries?: Query[]; unit?: string; max?: number; id?: number };

const rate = (series: string): string => `rate(${series}[$__rate_interval])`;
const perJob = (expr: string): Query => ({ expr, legend: '{{job}} {{instance}}' });
const JOBS = '{job=~"ugc-api|ugc-indexer"}';
const HTTP = 'ugc_http_request_duration_seconds';

const FLAGS = [
  ...['ugc_postgres_up', 'ugc_postgres_stores_changes', 'ugc_schema_up_to_date', 'ugc_redis_up', 'ugc_redis_eviction_policy_ok'],
  ...['ugc_elasticsearch_up', 'ugc_key_server_up'],
];

/** What operators ask, in the order in which they ask it. */
const GROUPS: Record<string, PanelDefinition[]> = {
  'Is it answering?': [
    {
      title: 'Firing alerts',
      metrics: [],
      queries: [{ expr: 'count by (alertname) (ALERTS{alertname=~"Ugc.*", alertstate="firing"})', legend: '{{alertname}}' }],
    },
    { title: 'Processes', metrics: [], queries: [{ expr: `sum by (job) (up${JOBS})`, legend: '{{job}}' }] },
    {
      title: 'Requests by status',
      metrics: [HTTP],
      queries: [{ expr: `sum by (status) (${rate(`${HTTP}_count`)})`, legend: '{{status}}' }],
      unit: 'reqps',
    },
    { title: 'Duration of requests', metrics: [HTTP] },
    {
      title: 'Duration of requests by route, 99 %',
      metrics: [HTTP],
      queries: [{ expr: `histogram_quantile(0.99, sum by (le, route) (${rate(`${HTTP}_bucket`)}))`, legend: '{{route}}' }],
    },
    {
      title: 'Responses with 5xx',
      metrics: [HTTP],
      queries: [{ expr: `sum by (route, status) (${rate(`${HTTP}_count{status=~"5.."}`)})`, legend: '{{route}} {{status}}' }],
      unit: 'reqps',
    },
    { title: 'Searches that find nothing or are corrected', metrics: ['ugc_search_insights_total'] },
  ],
  'Is indexing keeping up?': [
    { title: 'Pending changes', metrics: ['ugc_outbox_pending_changes'] },
    { title: 'Age of the oldest pending change', metrics: ['ugc_outbox_oldest_pending_seconds'] },
    { title: 'Time until a change is indexed', metrics: ['ugc_index_lag_seconds'] },
    { title: 'Changes by result', metrics: ['ugc_index_changes_total'] },
    { title: 'Rejected items', metrics: ['ugc_outbox_rejected_changes'] },
    {
      title: 'Indexers',
      metrics: ['ugc_indexers_wanted'],
      queries: [
        { expr: 'max(ugc_indexers_wanted)', legend: 'wanted' },
        { expr: 'sum(up{job="ugc-indexer"})', legend: 'running' },
      ],
    },
    { title: 'Jobs in the queue', metrics: ['ugc_queue_waiting_jobs', 'ugc_queue_active_jobs'] },
    { title: 'Paused', metrics: ['ugc_index_paused', 'ugc_queue_paused'], max: 1 },
    { title: 'Relay: lost jobs', metrics: ['ugc_relay_lost_jobs_total'] },
    { title: 'Relay: time since its last pass', metrics: ['ugc_relay_last_pass_age_seconds'] },
    { title: 'Duration of index jobs', metrics: ['ugc_index_job_duration_seconds'] },
    { title: 'Duration of bulk requests', metrics: ['ugc_bulk_request_duration_seconds'] },
  ],
  'Are limits reached?': [
    {
      title: 'Used part of each limit',
      metrics: ['ugc_resource_used', 'ugc_resource_limit'],
      queries: [{ expr: 'max by (resource) (ugc_resource_used / ugc_resource_limit)', legend: '{{resource}}' }],
      unit: 'percentunit',
    },
    {
      title: 'Longest hold of a limited resource',
      metrics: ['ugc_resource_longest_hold_seconds'],
      queries: [{ expr: 'max by (resource) (ugc_resource_longest_hold_seconds)', legend: '{{resource}}' }],
      unit: 's',
    },
    {
      title: 'Longest wait for a limited resource',
      metrics: ['ugc_resource_longest_wait_seconds'],
      queries: [{ expr: 'max by (resource) (ugc_resource_longest_wait_seconds)', legend: '{{resource}}' }],
      unit: 's',
    },
    { title: 'Dropped connections', metrics: ['ugc_http_connections_dropped_total'] },
    {
      title: 'Responses with 429 and 503',
      metrics: [HTTP],
      queries: [{ expr: `sum by (route, status) (${rate(`${HTTP}_count{status=~"429|503"}`)})`, legend: '{{route}} {{status}}' }],
      unit: 'reqps',
    },
    {
      title: 'Connections to PostgreSQL in use',
      metrics: ['ugc_postgres_pool_connections', 'ugc_postgres_pool_idle_connections'],
      queries: [perJob('ugc_postgres_pool_connections - ugc_postgres_pool_idle_connections')],
    },
    {
      title: 'Operations that wait for PostgreSQL',
      metrics: ['ugc_postgres_pool_waiting_requests'],
      queries: [perJob('ugc_postgres_pool_waiting_requests')],
    },
    { id: 101, title: 'Distinct tags and creators', metrics: ['ugc_facets_distinct_values'] },
  ],
  'Are stores and indices well?': [
    {
      title: 'Stores: 1 is well',
      metrics: FLAGS,
      queries: FLAGS.map((name) => ({ expr: `min(${name})`, legend: name.replace('ugc_', '') })),
      max: 1,
    },
    { title: 'Errors of Elasticsearch', metrics: ['ugc_elasticsearch_errors_total'] },
    { title: 'Problems for an operator', metrics: ['ugc_index_problems'] },
    { id: 102, title: 'Dead rows of the outbox', metrics: ['ugc_outbox_dead_rows'] },
    { id: 103, title: 'Age of what keeps dead rows', metrics: ['ugc_postgres_old_transaction_seconds'], unit: 's' },
    { title: 'Indices that are no longer written', metrics: ['ugc_index_retired_targets'] },
    { title: 'Differences, last comparison', metrics: ['ugc_index_comparison_differences'] },
    { title: 'Differences, present comparison', metrics: ['ugc_index_comparison_current_differences'] },
    { title: 'Time since the last backup', metrics: ['ugc_backup_age_seconds'], unit: 's' },
    { title: 'Time since the last comparison', metrics: ['ugc_index_comparison_completed_timestamp_seconds'] },
    { title: 'Items ahead of PostgreSQL', metrics: ['ugc_index_ahead_items'] },
    { id: 104, title: 'Time since the last restore of the index', metrics: ['ugc_index_restored_timestamp_seconds'] },
  ],
  'Is ranking by meaning well?': [
    { title: 'Rankings of lists', metrics: ['ugc_search_rankings_total'] },
    { title: 'Lists without vectors in time', metrics: ['ugc_search_ranking_failures_total'] },
    { title: 'Duration of the embedding of a prompt', metrics: ['ugc_search_prompt_embedding_seconds'] },
    { title: 'Items by their vectors', metrics: ['ugc_embedding_items'] },
    { title: 'Items that wait for a vector', metrics: ['ugc_embedding_waiting_items'] },
    { title: 'Age of the oldest item that waits for a vector', metrics: ['ugc_embedding_oldest_waiting_seconds'] },
    { title: 'Texts sent to the embedding service', metrics: ['ugc_embedding_texts_total'] },
  ],
  'How are the processes?': [
    {
      title: 'Processor',
      metrics: ['process_cpu_seconds_total'],
      queries: [perJob(rate(`process_cpu_seconds_total${JOBS}`))],
      unit: 'percentunit',
    },
    { title: 'Memory', metrics: ['process_resident_memory_bytes'], queries: [perJob(`process_resident_memory_bytes${JOBS}`)] },
    {
      title: 'Event loop delay, 99 %',
      metrics: ['nodejs_eventloop_lag_p99_seconds'],
      queries: [perJob(`nodejs_eventloop_lag_p99_seconds${JOBS}`)],
    },
    {
      title: 'Processes by version',
      metrics: ['ugc_build_info'],
      queries: [{ expr: 'count by (job, version) (ugc_build_info)', legend: '{{job}} {{version}}' }],
    },
    {
      title: 'Starts within 30 minutes',
      metrics: ['process_start_time_seconds'],
      queries: [perJob(`changes(process_start_time_seconds${JOBS}[30m])`)],
      unit: 'short',
    },
  ],
};

const COLUMNS = 3;
const [WIDTH, HEIGHT] = [24 / COLUMNS, 8];
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

function metric(name: string): Metric {
  const found = METRICS.get(name);
  if (!found) throw new Error(`the dashboard names the metric ${name}, which no registry has`);
  return found;
}

function defaultQueries({ name, type, labelNames }: Metric): Query[] {
  const by = labelNames.length > 0 ? ` by (${labelNames.join(', ')}) ` : '';
  const legend = labelNames.length > 0 ? labelNames.map((label) => `{{${label}}}`).join(' ') : name.replace(/^ugc_|_total$/g, '');
  if (type === 'counter') return [{ expr: `sum${by}(${rate(name)})`, legend }];
  if (type === 'histogram') return [0.5, 0.95, 0.99].map((quantile) => toQuantile(name, quantile));
  // A time is 0 before it has come.
  if (name.endsWith('_timestamp_seconds')) return [{ expr: `time() - max(${name} > 0)`, legend }];
  return [{ expr: `max${by}(${name})`, legend }];
}

function toQuantile(name: string, quantile: number): Query {
  return { expr: `histogram_quantile(${quantile}, sum by (le) (${rate(`${name}_bucket`)}))`, legend: `${100 * quantile} %` };
}

function unitOf({ name, type }: Metric): string {
  if (type === 'counter') return 'cps';
  if (/_seconds$/.test(name)) return 's';
  return /_bytes$/.test(name) ? 'bytes' : 'short';
}

/** An environment is a value of the label `namespace`, and has lines of its own. */
function byNamespace(expr: string): string {
  return expr.replaceAll('by (', 'by (namespace, ').replaceAll(/\b(max|min|sum)\(/g, '$1 by (namespace) (');
}

function toPanel({ title, metrics, queries, unit, max }: PanelDefinition, gridPos: object, id: number): Panel {
  const about = metrics.map(metric);
  const targets = (queries ?? about.flatMap(defaultQueries)).map(({ expr, legend }, index) => ({
    datasource: DATASOURCE,
    refId: String.fromCharCode(65 + index),
    expr: byNamespace(expr),
    legendFormat: `{{namespace}} ${legend}`,
  }));
  const defaults = { unit: unit ?? (about[0] ? unitOf(about[0]) : 'short'), min: 0, ...(max !== undefined && { max }) };
  return {
    id,
    type: 'timeseries',
    title,
    description: about.map(({ name, help }) => `\`${name}\`: ${help}.`).join('\n\n') || title,
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: { defaults: { ...defaults, custom: { fillOpacity: 10, showPoints: 'never' } }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets,
  };
}

export type Panel = Record<string, unknown> & { title: string; targets: { expr: string; legendFormat: string }[] };
type Row = { id: number; type: 'row'; title: string; collapsed: boolean; gridPos: object; panels: [] };

function toPanels(): (Panel | Row)[] {
  const panels: (Panel | Row)[] = [];
  let numbered = 0;
  let y = 0;
  for (const [title, definitions] of Object.entries(GROUPS)) {
    panels.push({ id: (numbered += 1), type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] });
    definitions.forEach((definition, index) => {
      const position = { x: (index % COLUMNS) * WIDTH, y: y + 1 + Math.floor(index / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT };
      panels.push(toPanel(definition, position, definition.id ?? (numbered += 1)));
    });
    y += 1 + Math.ceil(definitions.length / COLUMNS) * HEIGHT;
  }
  return panels;
}

/** The dashboard in Grafana's classic format. */
export function dashboard() {
  return {
    uid: 'ugc-service',
    title: 'UGC service',
    tags: ['ugc'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '10s',
    time: { from: 'now-1h', to: 'now' },
    timezone: 'browser',
    templating: { list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus', current: {}, hide: 0 }] },
    annotations: { list: [] },
    panels: toPanels(),
  };
}

export function panelsOf({ panels }: ReturnType<typeof dashboard>): Panel[] {
  return panels.filter((panel): panel is Panel => 'targets' in panel);
}
