import { INDEX_BODY, indexPattern, newIndexName } from '@ugc/shared/content-index';
import { addTarget, changeTargets, listTargets, removeTarget, setRole } from '@ugc/shared/index-target';
import { fillIndex, RebuildFailed, type Progress, type RebuildDeps } from './fill-index.ts';
import { purge } from './purge.ts';

/** Only one process at a time makes or swaps indices. */
const REBUILD_LOCK = 7_316_204_118;

/**
 * Makes sure that there is an index to search. The first start and a lost Elasticsearch volume are the same case: an index is
 * made and filled from PostgreSQL, and until the alias stands lists answer 500 rather than a short page.
 * @returns false when another process is at it
 */
export async function ensureIndex(deps: RebuildDeps, progress: Progress): Promise<boolean> {
  if (await isComplete(deps)) return true;
  const done = await deps.database.exclusively(REBUILD_LOCK, async () => {
    if (!(await isComplete(deps))) await rebuild(deps, progress);
    return true;
  });
  return done ?? false;
}

/** @returns false when another process makes or purges indices */
export async function purgeAlone(deps: RebuildDeps): Promise<boolean> {
  const done = await deps.database.exclusively(REBUILD_LOCK, async () => {
    await purge(deps);
    return true;
  });
  return done ?? false;
}

async function isComplete({ database, elasticsearch, alias }: RebuildDeps): Promise<boolean> {
  const search = (await listTargets(database)).find((target) => target.role === 'search');
  return search !== undefined && (await elasticsearch.indices.existsAlias({ index: search.indexName, name: alias }));
}

async function rebuild(deps: RebuildDeps, progress: Progress): Promise<void> {
  await finishInterrupted(deps);
  if (await isComplete(deps)) return;
  const indexName = await createIndex(deps);
  deps.log.info({ indexName }, 'filling a new index from PostgreSQL');
  await changeTargets(deps.database, (tx) => addTarget(tx, indexName, 'next'));
  await fillIndex(deps, indexName, progress);
  await deps.elasticsearch.indices.refresh({ index: indexName });
  await assertAccepted(deps, indexName);
  await pointAlias(deps, indexName);
  await promote(deps, indexName);
  deps.log.info({ indexName }, 'the new index is searched');
}

/** A rebuild that died between moving the alias and changing the roles is completed; one that died earlier starts over. */
async function finishInterrupted(deps: RebuildDeps): Promise<void> {
  const next = (await listTargets(deps.database)).find((target) => target.role === 'next');
  if (!next) return;
  if (await deps.elasticsearch.indices.existsAlias({ index: next.indexName, name: deps.alias })) return promote(deps, next.indexName);
  await changeTargets(deps.database, (tx) => removeTarget(tx, next.indexName));
  await deleteIndex(deps, next.indexName);
}

async function createIndex({ elasticsearch, alias }: RebuildDeps): Promise<string> {
  // Without it a write to a missing index would make one, with a mapping guessed from the first document.
  await elasticsearch.indices.putIndexTemplate({ name: alias, index_patterns: [indexPattern(alias)], allow_auto_create: false });
  const indexName = newIndexName(alias, new Date());
  await elasticsearch.indices.create({ index: indexName, ...INDEX_BODY, wait_for_active_shards: 1 });
  return indexName;
}

async function assertAccepted({ database }: RebuildDeps, indexName: string): Promise<void> {
  const target = (await listTargets(database)).find((candidate) => candidate.indexName === indexName);
  if (target && target.rejectedReason === null) return;
  throw new RebuildFailed(`${indexName} refused a document: ${target?.rejectedReason ?? 'it is no target any more'}`);
}

async function pointAlias({ elasticsearch, alias }: RebuildDeps, indexName: string): Promise<void> {
  await elasticsearch.indices.updateAliases({
    actions: [{ remove: { index: indexPattern(alias), alias, must_exist: false } }, { add: { index: indexName, alias } }],
  });
}

/** The index that was searched goes on as `previous` if it is still there. */
async function promote({ database, elasticsearch }: RebuildDeps, indexName: string): Promise<void> {
  const targets = await listTargets(database);
  const old = targets.find((target) => target.role === 'search');
  const oldIsThere = old !== undefined && (await elasticsearch.indices.exists({ index: old.indexName }));
  await changeTargets(database, async (tx) => {
    for (const target of targets.filter(({ role }) => role === 'previous')) await removeTarget(tx, target.indexName);
    if (old) await (oldIsThere ? setRole(tx, old.indexName, 'previous') : removeTarget(tx, old.indexName));
    await setRole(tx, indexName, 'search');
  });
}

async function deleteIndex({ elasticsearch }: RebuildDeps, indexName: string): Promise<void> {
  await elasticsearch.indices.delete({ index: indexName, ignore_unavailable: true });
}
