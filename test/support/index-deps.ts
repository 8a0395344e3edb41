import type { IndexDeps } from '@ugc/indexer/indices/target-indices';
import { createLog } from '@ugc/shared/process/log';
import type { Service } from './service.ts';

/** The dependencies of the functions that create, fill and compare indices, on the test's connections. */
export function indexDeps(service: Pick<Service, 'database' | 'elasticsearch' | 'env'>, signal = new AbortController().signal): IndexDeps {
  const { database, elasticsearch, env } = service;
  return { database, elasticsearch, alias: env['CONTENT_ALIAS'] ?? '', log: createLog('test', env['LOG_LEVEL'] ?? 'silent'), signal };
}
