import type { estypes } from '@elastic/elasticsearch';
import { INDEX_BODY, indexPattern, newIndexName } from '@ugc/shared/content-index';
import { addTarget, changeTargets, listTargets, removeTargets, setRole, type IndexTarget } from '@ugc/shared/index-target';
import { fillIndex, RebuildFailed, type Progress, type RebuildDeps } from './fill-index.ts';

/** Only one process at a time makes, swaps or purges indices. */
export const INDEX_LOCK = 7_316_204_118;

/**
 * Makes sure that there is an index to search. The first start and a lost Elasticsearch volume are the same case: an index is
 * made and filled from PostgreSQL, and until the alias stands lists answer 500 rather than a short page.
 * @returns false when another process is at it
 * @throws RebuildFailed; the next call starts over
 */
export async function ensureIndex(deps: RebuildDeps, progress: Progress): Promise<boolean> {
  if (await isSearched(deps)) return true;
  return deps.database.exclusively(INDEX_LOCK, (lockLost) =>
    restoreOrRebuild({ ...deps, signal: AbortSignal.any([deps.signal, lockLost]) }, progress),
  );
}

async function isSearched(deps: RebuildDeps): Promise<boolean> {
  const search = withRole(await listTargets(deps.database), 'search');
  return search !== undefined && (await lookAt(deps, search)) === 'searched';
}

async function restoreOrRebuild(deps: RebuildDeps, progress: Progress): Promise<void> {
  const targets = await listTargets(deps.database);
  const search = withRole(targets, 'search');
  const next = withRole(targets, 'next');
  const searchIs = search && (await lookAt(deps, search));
  if (searchIs === 'searched') return;
  // A rebuild died between moving the alias and changing the roles.
  if (next && (await lookAt(deps, next)) === 'searched') return promote(deps, next.indexName);
  if (search && searchIs === 'whole') return pointAlias(deps, search.indexName);
  await discard(deps, targets);
  await rebuild(deps, progress);
}

/** `searched`: it is ours and carries the alias · `whole`: it is ours · `lost`: it is missing, or something else made it. */
async function lookAt(deps: RebuildDeps, { indexName }: IndexTarget): Promise<'searched' | 'whole' | 'lost'> {
  const index = await getIndex(deps, indexName);
  if (index?.mappings?._meta?.['version'] === undefined) return 'lost';
  return index.aliases?.[deps.alias] ? 'searched' : 'whole';
}

async function rebuild(deps: RebuildDeps, progress: Progress): Promise<void> {
  const { indexName, uuid } = await createIndex(deps);
  deps.log.info({ indexName }, 'filling a new index from PostgreSQL');
  await changeTargets(deps.database, (tx) => addTarget(tx, indexName, 'next'));
  const stillThere = async (): Promise<boolean> => (await uuidOf(deps, indexName)) === uuid;
  await fillIndex(deps, { indexName, stillThere }, progress);
  await assertComplete(deps, indexName);
  if (!(await stillThere())) throw new RebuildFailed(`${indexName} was lost while it was filled`);
  deps.signal.throwIfAborted();
  await pointAlias(deps, indexName);
  await promote(deps, indexName);
  deps.log.info({ indexName }, 'the new index is searched');
}

async function createIndex(deps: RebuildDeps): Promise<{ indexName: string; uuid: string | undefined }> {
  const { elasticsearch, alias } = deps;
  // Without it a write to a missing index would make one, with a mapping guessed from the first document.
  await elasticsearch.indices.putIndexTemplate({ name: alias, index_patterns: [indexPattern(alias)], allow_auto_create: false });
  const indexName = newIndexName(alias, new Date());
  await elasticsearch.indices.create({ index: indexName, ...INDEX_BODY, wait_for_active_shards: 1 });
  return { indexName, uuid: await uuidOf(deps, indexName) };
}

// A name can come back with other contents after Elasticsearch has lost its data; a uuid can't.
async function uuidOf(deps: RebuildDeps, indexName: string): Promise<string | undefined> {
  const index = await getIndex(deps, indexName);
  return index?.settings?.index?.uuid;
}

/** @returns undefined when there is no such index */
async function getIndex({ elasticsearch }: RebuildDeps, indexName: string): Promise<estypes.IndicesIndexState | undefined> {
  const found = await elasticsearch.indices.get({ index: indexName, ignore_unavailable: true });
  return found[indexName];
}

/** Everything that is not on its way any more must be in the new index, which must not have refused anything. */
async function assertComplete({ database, elasticsearch }: RebuildDeps, indexName: string): Promise<void> {
  const [row] = await database.query<{ settled: number }>(
    `select count(*) as settled from content c where not exists (select from index_outbox o where o.content_id = c.content_id)`,
  );
  await elasticsearch.indices.refresh({ index: indexName });
  const { count } = await elasticsearch.count({ index: indexName });
  if (count < (row?.settled ?? 0)) throw new RebuildFailed(`${indexName} has ${count} of ${row?.settled} items`);
  const target = (await listTargets(database)).find((candidate) => candidate.indexName === indexName);
  if (target?.rejectedReason !== null) throw new RebuildFailed(`${indexName} refused a document: ${target?.rejectedReason ?? 'unknown'}`);
}

async function pointAlias({ elasticsearch, alias }: RebuildDeps, indexName: string): Promise<void> {
  await elasticsearch.indices.updateAliases({
    actions: [{ remove: { index: indexPattern(alias), alias, must_exist: false } }, { add: { index: indexName, alias } }],
  });
}

async function promote(deps: RebuildDeps, indexName: string): Promise<void> {
  const others = (await listTargets(deps.database)).filter((target) => target.indexName !== indexName);
  await changeTargets(deps.database, async (tx) => {
    await removeTargets(tx, others);
    await setRole(tx, indexName, 'search');
  });
  await deleteIndices(deps, others);
}

async function discard(deps: RebuildDeps, targets: IndexTarget[]): Promise<void> {
  await changeTargets(deps.database, (tx) => removeTargets(tx, targets));
  await deleteIndices(deps, targets);
}

async function deleteIndices({ elasticsearch }: RebuildDeps, targets: IndexTarget[]): Promise<void> {
  for (const { indexName } of targets) await elasticsearch.indices.delete({ index: indexName, ignore_unavailable: true });
}

function withRole(targets: IndexTarget[], role: IndexTarget['role']): IndexTarget | undefined {
  return targets.find((target) => target.role === role);
}
