const SEARCH = [
  'environments/index-settings.test.ts',
  'api/deep-pages.test.ts',
  'api/facets-property.test.ts',
  'api/list-filters.test.ts',
  'api/search-robustness.test.ts',
  'api/searched-index.test.ts',
  'api/semantic.test.ts',
  'api/suggest-all.test.ts',
  'pipeline/mapping-upgrade.test.ts',
];
const INDICES = [
  'environments/index-settings.test.ts',
  'environments/shared-cluster.test.ts',
  'pipeline/dropped.test.ts',
  'pipeline/fill.test.ts',
  'pipeline/index-lock.test.ts',
  'pipeline/mapping-upgrade.test.ts',
  'pipeline/opensearch.test.ts',
  'pipeline/rebuild.test.ts',
  'pipeline/faults/delivery.test.ts',
  'pipeline/faults/elasticsearch-nodes.test.ts',
  'pipeline/faults/elasticsearch.test.ts',
  'pipeline/faults/upgrade.test.ts',
];
const DELIVERY = [
  'pipeline/bulk-pace.test.ts',
  'pipeline/convergence.test.ts',
  'pipeline/outages.test.ts',
  'pipeline/faults/api-process.test.ts',
  'pipeline/faults/backlog.test.ts',
  'pipeline/faults/delivery.test.ts',
  'pipeline/faults/elasticsearch-nodes.test.ts',
  'pipeline/faults/elasticsearch.test.ts',
  'pipeline/faults/indexer-process.test.ts',
  'pipeline/faults/nemesis.test.ts',
  'pipeline/faults/postgres.test.ts',
  'pipeline/faults/redis-sentinel.test.ts',
  'pipeline/faults/redis.test.ts',
];
const DATABASES = [
  'environments/database-settings.test.ts',
  'environments/pooler.test.ts',
  'environments/restored-stores.test.ts',
  'environments/shared-cluster.test.ts',
  'pipeline/faults/postgres.test.ts',
];
const REDIS = [
  'environments/redis-cluster.test.ts',
  'environments/restricted-redis.test.ts',
  'pipeline/faults/redis-sentinel.test.ts',
  'pipeline/faults/redis.test.ts',
];
const EMBEDDINGS = ['api/semantic.test.ts', 'pipeline/faults/embeddings.test.ts'];
const COMMANDS = ['environments/refusing-stores.test.ts', 'pipeline/dropped.test.ts', 'pipeline/index-commands.test.ts'];
const CONNECTIONS = ['browser/docs.test.ts', 'environments/load-balancer.test.ts', 'pipeline/faults/api-process.test.ts'];
const USERS = ['environments/load-balancer.test.ts', 'environments/provider-tokens.test.ts'];

/**
 * The test files that `.ci/run` runs with their long tests after a change of a source: its path, or the beginning of its
 * path. A source that belongs to several rows has the tests of all of them; a source without a row may break any test.
 */
export const LONG_TESTS: Record<string, string[]> = {
  'services/api/demo/': ['pipeline/start.test.ts'],
  'services/api/src/app.ts': CONNECTIONS,
  'services/api/src/auth/': USERS,
  'services/api/src/commands/': [...COMMANDS, ...USERS, 'pipeline/start.test.ts'],
  'services/api/src/content/': ['pipeline/convergence.test.ts', 'pipeline/faults/api-process.test.ts', 'pipeline/faults/postgres.test.ts'],
  'services/api/src/endpoints/': ['browser/docs.test.ts', ...CONNECTIONS],
  'services/api/src/env.ts': [...CONNECTIONS, ...USERS],
  'services/api/src/http/': ['browser/docs.test.ts', ...CONNECTIONS, ...USERS],
  'services/api/src/indexing/': [...DELIVERY, ...REDIS],
  'services/api/src/limits/': ['api/deep-pages.test.ts', ...CONNECTIONS, ...REDIS, ...USERS],
  'services/api/src/operators/': [...REDIS, 'environments/shared-cluster.test.ts', 'environments/restored-stores.test.ts'],
  'services/api/src/search/pages/': ['pipeline/opensearch.test.ts'],
  'services/api/src/search/': [...SEARCH, 'pipeline/faults/elasticsearch.test.ts'],
  'services/api/src/search/meaning/': EMBEDDINGS,
  'services/api/src/start-api.ts': [...CONNECTIONS, ...REDIS],
  'services/api/src/users/': [...USERS, 'pipeline/bulk-pace.test.ts'],
  'services/indexer/src/commands/': [...COMMANDS, 'pipeline/rebuild.test.ts'],
  'services/indexer/src/comparison/': ['environments/restored-stores.test.ts'],
  'services/indexer/src/documents/': [...DELIVERY, 'pipeline/mapping-upgrade.test.ts'],
  'services/indexer/src/embeddings/': EMBEDDINGS,
  'services/indexer/src/indices/': INDICES,
  'services/indexer/src/jobs/': [...DELIVERY, ...REDIS],
  'services/indexer/src/maintain-index.ts': INDICES,
  'services/indexer/src/purge/': ['environments/pooler.test.ts', 'pipeline/dropped.test.ts'],
  'services/indexer/src/restore/': ['environments/restored-stores.test.ts'],
  'packages/client/': ['api/client-package.test.ts'],
  'packages/local-stack/': ['pipeline/elasticsearch-launch.test.ts', 'pipeline/opensearch.test.ts', 'pipeline/start.test.ts'],
  'packages/shared/src/cli/': COMMANDS,
  'packages/shared/src/contracts/content-index.ts': [...SEARCH, ...INDICES],
  'packages/shared/src/embeddings/': EMBEDDINGS,
  'packages/shared/src/indices/': INDICES,
  'packages/shared/src/locks/': [...INDICES, 'environments/pooler.test.ts'],
  'packages/shared/src/outbox/': DELIVERY,
  'packages/shared/src/ownership/': DATABASES,
  'packages/shared/src/search-text/': SEARCH,
  'packages/shared/src/status/': [...COMMANDS, ...REDIS, 'environments/shared-cluster.test.ts', 'environments/restored-stores.test.ts'],
  'packages/shared/src/stores/elasticsearch': [...INDICES, 'environments/refusing-stores.test.ts'],
  'packages/shared/src/stores/opensearch.ts': ['pipeline/opensearch.test.ts'],
  'packages/shared/src/stores/postgres': [...DATABASES, ...DELIVERY, 'environments/refusing-stores.test.ts'],
  'packages/shared/src/tracing/': [],
  'packages/shared/src/stores/redis': [...REDIS, 'environments/refusing-stores.test.ts'],
  'packages/web/': ['browser/page.test.ts'],
  'test/model/': ['model/protocol.test.ts'],
};
