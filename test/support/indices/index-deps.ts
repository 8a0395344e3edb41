import type { LockedDeps } from '@ugc/indexer/targets/target-indices';
import { parseEnv, storeEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import { WITHOUT_LOCK } from './index-lock.ts';
import type { Service } from '../processes/service.ts';

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
