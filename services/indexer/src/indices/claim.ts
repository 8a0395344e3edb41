import { aliasOf, indexMeta } from '@ugc/shared/contracts/content-index';
import type { IndexState } from '@ugc/shared/indices/read-index-states';
import { describeDatabase, haveSameOrigin, type DatabaseIdentity } from '@ugc/shared/contracts/database-identity';
import { writeOwnerRecord } from '@ugc/shared/ownership/owner-records';
import type { Judged } from '@ugc/shared/ownership/ownership';
import { randomUUID } from 'node:crypto';
import { RebuildError, type LockedDeps } from './target-indices.ts';

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
  if (state.owner && haveSameOrigin(state.owner, self)) return;
  await elasticsearch.indices.putMapping({ index: indexName, _meta: indexMeta(state.mappingVersion ?? 1, self) });
}
