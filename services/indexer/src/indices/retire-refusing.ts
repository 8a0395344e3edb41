import { findTarget, retireTargets, type IndexTarget } from '@ugc/shared/indices/targets';
import { probeWrite } from '@ugc/shared/indices/write-probe';
import type { IndexDeps } from './target-indices.ts';

const REFUSED_AFTER_MS = 180_000;

type Deps = Pick<IndexDeps, 'database' | 'elasticsearch' | 'alias' | 'log'>;
type Refusing = { indexName: string; reason: string };

/**
 * Every change waits until the previous index has taken it, since changes are written to the searched index last. An
 * offer to roll back must not stop the indexing.
 * @returns a function that retires a previous index that has refused all changes for three minutes while the searched
 * index accepts them; it never rejects
 */
export function createRefusalCheck(refusedAfterMs = REFUSED_AFTER_MS): (deps: Deps) => Promise<void> {
  let since: { indexName: string; ms: number } | undefined;
  return async (deps) => {
    const refusing = await findRefusing(deps).catch(() => undefined);
    if (since?.indexName !== refusing?.indexName) since = refusing && { indexName: refusing.indexName, ms: performance.now() };
    if (!refusing || !since || performance.now() - since.ms < refusedAfterMs) return;
    const { indexName } = refusing;
    const reason = `it refused changes that the searched index accepts: ${refusing.reason}`;
    await retireTargets(deps.database, [{ indexName, reason }]).catch(() => undefined);
    deps.log.error({ indexName, reason }, 'the previous index is no longer written, so that a rollback to it is not possible any more');
  };
}

async function findRefusing(deps: Deps): Promise<Refusing | undefined> {
  const previous = await findTarget(deps, 'previous');
  if (!previous || previous.retiredReason !== null) return undefined;
  const refusal = await probe(deps, previous);
  const search = refusal && (await findTarget(deps, 'search'));
  return search && !(await probe(deps, search)) ? { indexName: previous.indexName, reason: refusal.reason } : undefined;
}

/** Also an index without `data` accepts a document that has it. */
function probe({ elasticsearch }: Deps, { indexName }: IndexTarget) {
  return probeWrite(elasticsearch, { indexName, hasData: true });
}
