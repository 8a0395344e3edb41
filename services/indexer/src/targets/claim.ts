import { aliasOf, indexMeta } from '@ugc/shared/contracts/content-index';
import type { IndexState } from '@ugc/shared/indices/read-index-states';
import { describeDatabase, isSameDatabase, type DatabaseIdentity } from '@ugc/shared/contracts/database-identity';
import { writeOwnerRecord } from '@ugc/shared/ownership/owner-records';
import type { Judged } from '@ugc/shared/ownership/ownership';
import { randomUUID } from 'node:crypto';
import { RebuildError, type LockedDeps, withIndexLock, type IndexDeps, type Progress } from './target-indices.ts';
import { inspectIndices } from '@ugc/shared/ownership/inspect-indices';
import { GONE_AFTER_MS } from '@ugc/shared/ownership/owner-watch';
import { setTimeout as delay } from 'node:timers/promises';

type Claimed = { indexName: string; state: IndexState; judged: Pick<Judged, 'owner' | 'record'> };

/**
 * Makes this database the owner of an index. Of several databases that try it at the same time one succeeds, and none
 * does if the owner has renewed its record since it was judged.
 * @throws RebuildError
 */
export async function takeOver(deps: LockedDeps, self: DatabaseIdentity, { indexName, state, judged }: Claimed): Promise<void> {
  const { elasticsearch, alias, ownership, log } = deps;
  const place = { alias: aliasOf(indexName) ?? alias, uuid: state.uuid ?? '' };
  const record = { indexName, owner: self, beat: null, pulse: randomUUID(), at: new Date().toISOString() };
  if (!(await writeOwnerRecord(elasticsearch, place, record, judged.record?.position)))
    throw new RebuildError(`${indexName} was taken over by another process, or its owner has come back; try again`);
  ownership.forget();
  await labelIndex(deps, self, indexName, state);
  const from = judged.owner && describeDatabase(judged.owner);
  log.warn(
    { indexName, from, to: describeDatabase(self) },
    'index taken over: its former owner does not run any more, or index:adopt was run',
  );
}

/** The mapping names the owner also without the records, for example in a snapshot. */
export async function labelIndex(
  { elasticsearch }: LockedDeps,
  self: DatabaseIdentity,
  indexName: string,
  state: IndexState,
): Promise<void> {
  if (state.owner && isSameDatabase(state.owner, self)) return;
  await elasticsearch.indices.putMapping({ index: indexName, _meta: indexMeta(state.mappingVersion ?? 1, self, state.definitions) });
}

/**
 * Makes this database the owner of every index with a name of its alias, also of those whose owner runs. Its indexers
 * then bring alias and list in order. @param onAdopted gets the names
 * @returns false if another process holds the index lock
 */
export function adoptIndices(deps: IndexDeps, onAdopted: (indexName: string) => void): Promise<boolean> {
  return withIndexLock(deps, async (held) => {
    const { self, states } = await inspectIndices(held);
    const names = [...states.keys()].filter((name) => aliasOf(name) === held.alias);
    const judged = await held.ownership.judge(
      self,
      names.map((indexName) => ({ indexName })),
      states,
    );
    for (const indexName of names) {
      const state = states.get(indexName);
      const { owner, record } = judged.get(indexName) ?? {};
      if (!state || (owner && isSameDatabase(owner, self))) continue;
      held.signal.throwIfAborted();
      await takeOver(held, self, { indexName, state, judged: { owner, record } });
      onAdopted(indexName);
    }
  });
}

const LOOK_EVERY_MS = 1_000;

/** A command has not watched the owners of the indices before. Usually the owner is this database: no wait. */
export async function decideOwners(deps: IndexDeps, progress: Progress): Promise<void> {
  const startedAtMs = performance.now();
  for (;;) {
    const { targets } = await inspectIndices(deps);
    if (!targets.some(({ ofAlias, verdict }) => ofAlias && verdict === 'undecided')) return;
    const seconds = Math.floor((performance.now() - startedAtMs) / 1_000);
    progress('Watching whether the owner of the indices runs (s)', seconds, Math.max(seconds, GONE_AFTER_MS / 1_000));
    await delay(LOOK_EVERY_MS, undefined, { signal: deps.signal });
  }
}
