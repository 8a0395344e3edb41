import { auditIndex } from '@ugc/indexer/comparison/audit';
import type { Difference } from '@ugc/indexer/comparison/compare';
import { findTarget } from '@ugc/shared/indices/targets';
import type { Service } from '../processes/service.ts';
import { indexDeps } from './index-deps.ts';

/** What index:audit lists, in this process. */
export async function auditSearched(service: Service, { repair = false } = {}): Promise<Difference[]> {
  const found: Difference[] = [];
  const index = (await findTarget(service, 'search'))?.indexName ?? '';
  await auditIndex(indexDeps(service), index, { repair, found: (difference) => void found.push(difference), progress: () => undefined });
  return found;
}
