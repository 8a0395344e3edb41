import type { LockedDeps } from '@ugc/indexer/targets/target-indices';
import { parseEnv, storeEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import { WITHOUT_LOCK } from './index-lock.ts';
import type { Service } from '../processes/service.ts';
import { auditIndex } from '@ugc/indexer/comparison/audit';
import type { Difference } from '@ugc/indexer/comparison/compare';
import { findTarget } from '@ugc/shared/indices/targets';
import type { Cluster } from '../cluster/cluster.ts';

/** The dependencies of the functions that create, fill and compare indices, on the test's connections. */
export function indexDeps(
  service: Pick<Service, 'database' | 'elasticsearch' | 'alias' | 'ownership' | 'env'>,
  signal = new AbortController().signal,
): LockedDeps {
  const { database, elasticsearch, alias, ownership, env } = service;
  const log = createLog('test', env['LOG_LEVEL'] ?? 'silent');
  const settings = parseEnv(storeEnv, env);
  return { database, elasticsearch, alias, ownership, settings, log, signal, lock: WITHOUT_LOCK };
}

/** What index:audit lists, in this process. */
export async function auditSearched(service: Service, { repair = false } = {}): Promise<Difference[]> {
  const found: Difference[] = [];
  const index = (await findTarget(service, 'search'))?.indexName ?? '';
  await auditIndex(indexDeps(service), index, { repair, found: (difference) => void found.push(difference), progress: () => undefined });
  return found;
}

/** The names of all indices of a cluster, searched or not. */
export async function indexNames({ elasticsearch, env }: Pick<Cluster, 'elasticsearch' | 'env'>): Promise<string[]> {
  return Object.keys(await elasticsearch.indices.get({ index: `${env['CONTENT_ALIAS']}*` }));
}
