import type { estypes } from '@elastic/elasticsearch';
import { INDEXED_CONTENT, type IndexedContent } from '@ugc/shared/contracts/content';
import { addNextTarget, changeTargets, setRole, setUuid } from '@ugc/shared/indices/targets';
import { WITHOUT_LOCK } from './index-lock.ts';
import type { Stores } from '../processes/service.ts';

export type OlderStores = Pick<Stores, 'database' | 'elasticsearch'> & { alias: string };

type Older = {
  version: number;
  body: Omit<estypes.IndicesCreateRequest, 'index'>;
  toDocument: (row: IndexedContent) => object;
};

/** Creates what an older release leaves behind: an index with all items, listed as the searched one. @returns its name */
export async function createOlderIndex(stores: OlderStores, { version, body, toDocument }: Older): Promise<string> {
  const { database, elasticsearch, alias } = stores;
  const index = `${alias}-v${version}-20260101000000000`;
  await elasticsearch.indices.create({ index, ...body, aliases: { [alias]: {} } });
  const { [index]: state } = await elasticsearch.indices.get({ index });
  await changeTargets(database, WITHOUT_LOCK, async (tx) => {
    await addNextTarget(tx, index);
    await tx.query(`update index_target set mapping_version = $1 where index_name = $2`, [version, index]);
    await setRole(tx, index, 'search');
  });
  await setUuid(database, WITHOUT_LOCK, { indexName: index, uuid: state?.settings?.index?.uuid ?? '' });
  await writeDocuments(stores, index, toDocument);
  return index;
}

async function writeDocuments({ database, elasticsearch }: OlderStores, index: string, toDocument: Older['toDocument']): Promise<void> {
  const rows = await database.query<IndexedContent>(`select ${INDEXED_CONTENT} from content c join users u on u.user_id = c.creator_id`);
  const operations = rows.flatMap((row) => [
    { index: { _id: String(row.contentId), version: row.revision, version_type: 'external_gte' as const } },
    toDocument(row),
  ]);
  const { errors } = await elasticsearch.bulk({ index, operations, refresh: true });
  if (errors) throw new Error(`the index ${index} rejects a document`);
  await database.query('delete from index_outbox');
}
