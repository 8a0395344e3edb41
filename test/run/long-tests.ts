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
const CONNECTIONS = ['environments/load-balancer.test.ts', 'pipeline/faults/api-process.test.ts'];
const USERS = ['environments/load-balancer.test.ts', 'environments/provider-tokens.test.ts'];
const PAGE = ['browser/page.test.ts'];
const DOCS = ['browser/docs.test.ts'];
const OPERATIONS = ['browser/operations.test.ts'];
const RELEVANCE = ['best', 'relevance', 'similar', 'typed-prompts'].map((name) => `relevance/${name}.test.ts`);
const LAUNCH = ['pipeline/elasticsearch-launch.test.ts', 'pipeline/opensearch.test.ts'];
const START = ['pipeline/start.test.ts'];
const UPGRADE = ['pipeline/faults/upgrade.test.ts'];

/** The files that contain long tests only. */
export const LONG_FILES = [...PAGE, ...DOCS, ...OPERATIONS, ...RELEVANCE, ...LAUNCH, ...START];

/**
 * The test files that run with their long tests after a change of a source: its path, or the beginning of its path. A
 * source that belongs to several rows has the tests of all of them; one without a row has none.
 */
export const LONG_TESTS: Record<string, string[]> = {
  'services/api/demo/': [...START, ...RELEVANCE],
  'services/api/src/app.ts': CONNECTIONS,
  'services/api/src/auth/': USERS,
  'services/api/src/commands/': [...COMMANDS, ...USERS, ...START],
  'services/api/src/content/': ['pipeline/convergence.test.ts', 'pipeline/faults/api-process.test.ts', 'pipeline/faults/postgres.test.ts'],
  'services/api/src/endpoints/': [...DOCS, ...CONNECTIONS],
  'services/api/src/env.ts': [...CONNECTIONS, ...USERS],
  'services/api/src/http/': [...DOCS, ...CONNECTIONS, ...USERS],
  'services/api/src/indexing/': [...DELIVERY, ...REDIS],
  'services/api/src/limits/': ['api/deep-pages.test.ts', ...CONNECTIONS, ...REDIS, ...USERS],
  'services/api/src/main.ts': CONNECTIONS,
  'services/api/src/operators/': [...OPERATIONS, ...REDIS, 'environments/shared-cluster.test.ts', 'environments/restored-stores.test.ts'],
  'services/api/src/search/': [...SEARCH, ...RELEVANCE, 'pipeline/faults/elasticsearch.test.ts'],
  'services/api/src/search/meaning/': EMBEDDINGS,
  'services/api/src/search/pages/': ['pipeline/opensearch.test.ts'],
  'services/api/src/start-api.ts': [...CONNECTIONS, ...REDIS],
  'services/api/src/users/': [...USERS, 'pipeline/bulk-pace.test.ts'],
  'services/embedder/': [...EMBEDDINGS, ...START],
  'services/indexer/src/commands/': [...COMMANDS, 'pipeline/rebuild.test.ts'],
  'services/indexer/src/comparison/': ['environments/restored-stores.test.ts'],
  'services/indexer/src/documents/': [...DELIVERY, 'pipeline/mapping-upgrade.test.ts'],
  'services/indexer/src/embeddings/': EMBEDDINGS,
  'services/indexer/src/indices/': INDICES,
  'services/indexer/src/jobs/': [...DELIVERY, ...REDIS],
  'services/indexer/src/main': INDICES,
  'services/indexer/src/purge/': ['environments/pooler.test.ts', 'pipeline/dropped.test.ts'],
  'services/indexer/src/restore/': ['environments/restored-stores.test.ts'],
  'services/indexer/src/start-indexer.ts': [...INDICES, ...REDIS],
  'packages/client/': ['api/client-package.test.ts'],
  'packages/local-stack/': [...LAUNCH, ...START],
  'packages/shared/migrations/': [...DATABASES, ...UPGRADE],
  'packages/shared/src/cli/': COMMANDS,
  'packages/shared/src/contracts/': UPGRADE,
  'packages/shared/src/contracts/content-index.ts': [...SEARCH, ...INDICES, ...RELEVANCE],
  'packages/shared/src/embeddings/': EMBEDDINGS,
  'packages/shared/src/indices/': INDICES,
  'packages/shared/src/locks/': [...INDICES, 'environments/pooler.test.ts'],
  'packages/shared/src/outbox/': DELIVERY,
  'packages/shared/src/ownership/': DATABASES,
  'packages/shared/src/process/': [...CONNECTIONS, ...REDIS, 'environments/refusing-stores.test.ts'],
  'packages/shared/src/search-text/': [...SEARCH, ...RELEVANCE],
  'packages/shared/src/status/': [
    ...OPERATIONS,
    ...COMMANDS,
    ...REDIS,
    'environments/shared-cluster.test.ts',
    'environments/restored-stores.test.ts',
  ],
  'packages/shared/src/stores/elasticsearch': [...INDICES, 'environments/refusing-stores.test.ts'],
  'packages/shared/src/stores/migrate.ts': [...DATABASES, ...UPGRADE],
  'packages/shared/src/stores/opensearch.ts': ['pipeline/opensearch.test.ts'],
  'packages/shared/src/stores/postgres': [...DATABASES, ...DELIVERY, 'environments/refusing-stores.test.ts'],
  'packages/shared/src/stores/redis': [...REDIS, 'environments/refusing-stores.test.ts'],
  'packages/shared/src/timing/': [...DELIVERY, ...REDIS],
  'packages/shared/src/tracing/': [],
  'packages/web/build/': [...PAGE, ...OPERATIONS],
  'packages/web/src/operations/': OPERATIONS,
  'packages/web/src/page/': PAGE,
  'packages/web/src/shared/': [...PAGE, ...OPERATIONS],
  'pnpm-lock.yaml': [...DOCS, ...LAUNCH, ...PAGE, ...REDIS, ...START, ...UPGRADE],
  'test/model/': ['model/protocol.test.ts'],
  'test/relevance/': RELEVANCE,
  'test/support/browser/': [...DOCS, ...OPERATIONS, ...PAGE],
};
