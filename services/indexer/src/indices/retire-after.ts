import { retireTargets, type Retirement } from '@ugc/shared/indices/targets';
import type { IndexDeps } from './target-indices.ts';

export type RetireDeps = Pick<IndexDeps, 'database' | 'elasticsearch' | 'alias' | 'log'>;
type Find = (deps: RetireDeps) => Promise<Retirement | undefined>;

/**
 * @param find returns an index that holds up all changes, and why
 * @param message the log line of its retirement
 * @returns a function that retires an index which `find` has returned at every call for so long; it never rejects
 */
export function retireAfter(lastedMs: number, find: Find, message: string): (deps: RetireDeps) => Promise<void> {
  let since: { indexName: string; ms: number } | undefined;
  return async (deps) => {
    const found = await find(deps).catch(() => undefined);
    if (since?.indexName !== found?.indexName) since = found && { indexName: found.indexName, ms: performance.now() };
    if (!found || !since || performance.now() - since.ms < lastedMs) return;
    await retireTargets(deps.database, [found]).catch(() => undefined);
    deps.log.error({ ...found }, message);
  };
}
