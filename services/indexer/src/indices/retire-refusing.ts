import { findTarget, type IndexTarget, type Retirement } from '@ugc/shared/indices/targets';
import { probeWrite } from '@ugc/shared/indices/write-probe';
import { retireAfter, type RetireDeps } from './retire-after.ts';

const REFUSED_AFTER_MS = 180_000;
const MESSAGE = 'the previous index is no longer written, so that a rollback to it is not possible any more';

/**
 * Every change waits until the previous index has taken it, since changes are written to the searched index last. An
 * offer to roll back must not stop the indexing.
 * @returns a function that retires a previous index that has refused all changes for three minutes while the searched
 * index accepts them; it never rejects
 */
export function createRefusalCheck(refusedAfterMs = REFUSED_AFTER_MS): (deps: RetireDeps) => Promise<void> {
  return retireAfter(refusedAfterMs, findRefusing, MESSAGE);
}

async function findRefusing(deps: RetireDeps): Promise<Retirement | undefined> {
  const previous = await findTarget(deps, 'previous');
  if (!previous || previous.retiredReason !== null) return undefined;
  const refusal = await probe(deps, previous);
  const search = refusal && (await findTarget(deps, 'search'));
  if (!search || (await probe(deps, search))) return undefined;
  return { indexName: previous.indexName, reason: `it refused changes that the searched index accepts: ${refusal.reason}` };
}

/** Also an index without `data` accepts a document that has it. */
function probe({ elasticsearch }: RetireDeps, { indexName }: IndexTarget) {
  return probeWrite(elasticsearch, { indexName, hasData: true });
}
