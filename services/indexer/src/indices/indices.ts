import type { estypes } from '@elastic/elasticsearch';
import { INDEX_BODY, indexPattern, newIndexName } from '@ugc/shared/contracts/content-index';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { addNextTarget, changeTargets, findTarget, listTargets, removeTarget, setUuid, type IndexTarget } from '../targets.ts';
import type { Log } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/stores/postgres';

/** The indices behind the alias, as Elasticsearch and PostgreSQL have them. All that changes them is done under INDEX_LOCK. */
export type IndexDeps = { database: Database; elasticsearch: Elasticsearch; alias: string; log: Log; signal: AbortSignal };

/** Only one process at a time makes, swaps, removes or purges indices. */
export const INDEX_LOCK = 7_316_204_118;

export type InspectedTarget = IndexTarget & {
  /** It is there and is the one that was made: a lost index may come back empty, or old, under its name. */
  intact: boolean;
  /** It carries the alias. */
  searched: boolean;
  /** It takes no writes at the moment. */
  writesBlocked: boolean;
};

/** The targets of PostgreSQL with what Elasticsearch says of each. */
export async function inspectTargets({ database, elasticsearch, alias }: IndexDeps): Promise<InspectedTarget[]> {
  const targets = await listTargets(database);
  // A closed one is there, too: somebody will open it again.
  const indices = await elasticsearch.indices.get({ index: indexPattern(alias), expand_wildcards: ['open', 'closed'] });
  return targets.map((target) => ({ ...target, ...stateOf(target, indices[target.indexName], alias) }));
}

function stateOf(target: IndexTarget, index: estypes.IndicesIndexState | undefined, alias: string) {
  const settings = index?.settings?.index;
  const intact = settings?.uuid !== undefined && settings.uuid === target.uuid;
  return {
    intact,
    searched: intact && index?.aliases?.[alias] !== undefined,
    writesBlocked: intact && String(settings.blocks?.write) === 'true',
  };
}

/** Makes an index to be filled. It is on the list before it is there, so that nothing can be left behind that nobody knows of. */
export async function createNextIndex(deps: IndexDeps): Promise<IndexTarget> {
  const { database, elasticsearch, alias } = deps;
  // Without it a write to a missing index would make one, with a mapping guessed from the first document.
  await elasticsearch.indices.putIndexTemplate({ name: alias, index_patterns: [indexPattern(alias)], allow_auto_create: false });
  const indexName = newIndexName(alias, new Date());
  await changeTargets(database, (tx) => addNextTarget(tx, indexName));
  await elasticsearch.indices.create({ index: indexName, ...INDEX_BODY, wait_for_active_shards: 1 });
  const { [indexName]: index } = await elasticsearch.indices.get({ index: indexName });
  await setUuid(database, indexName, index?.settings?.index?.uuid ?? '');
  const next = await findTarget(database, 'next');
  if (!next) throw new Error(`${indexName} was taken off the list while it was made`);
  return next;
}

export async function indexExists({ elasticsearch }: IndexDeps, { indexName, uuid }: IndexTarget): Promise<boolean> {
  const found = await elasticsearch.indices.get({ index: indexName, ignore_unavailable: true });
  return found[indexName]?.settings?.index?.uuid === uuid;
}

/** @returns the revisions of those that the index has */
export async function readRevisions(elasticsearch: Elasticsearch, indexName: string, contentIds: number[]): Promise<Map<number, number>> {
  const { docs } = await elasticsearch.mget({ index: indexName, ids: contentIds.map(String), _source: false });
  return new Map(docs.flatMap((doc) => ('found' in doc && doc.found ? [[Number(doc._id), doc._version ?? 0] as const] : [])));
}

export async function pointAlias({ elasticsearch, alias }: IndexDeps, { indexName }: IndexTarget): Promise<void> {
  await elasticsearch.indices.updateAliases({
    actions: [{ remove: { index: indexPattern(alias), alias, must_exist: false } }, { add: { index: indexName, alias } }],
  });
}

/** Once this has returned, no write is under way in the index and none begins: writers are told to come again. */
export async function blockWrites({ elasticsearch }: IndexDeps, { indexName }: IndexTarget): Promise<void> {
  const { acknowledged, shards_acknowledged: drained } = await elasticsearch.indices.addBlock({ index: indexName, block: 'write' });
  if (!acknowledged || !drained) throw new Error(`not every shard of ${indexName} has stopped to take writes`);
}

export async function unblockWrites({ elasticsearch }: IndexDeps, { indexName }: IndexTarget): Promise<void> {
  await elasticsearch.indices.putSettings({ index: indexName, settings: { 'index.blocks.write': null } });
}

/** The index goes before its place on the list: writers find it missing for a moment, which they survive. */
export async function removeIndex({ database, elasticsearch }: IndexDeps, { indexName }: IndexTarget): Promise<void> {
  await elasticsearch.indices.delete({ index: indexName, ignore_unavailable: true });
  await changeTargets(database, (tx) => removeTarget(tx, indexName));
}
