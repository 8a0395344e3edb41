import { afterAll, beforeAll } from '@jest/globals';
import type { estypes } from '@elastic/elasticsearch';
import { toDocument } from '@ugc/indexer/documents/document';
import { INDEXED_CONTENT, type IndexedContent } from '@ugc/shared/contracts/content';
import { INDEX_BODY, indexMeta, MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { readIdentity } from '@ugc/shared/contracts/database-identity';
import { addNextTarget, changeTargets, setRole, setUuid } from '@ugc/shared/indices/targets';
import { foldText } from '@ugc/text/words/fold-text';
import { nameKey } from '@ugc/text/rules/keys';
import { KNOWN_RULES, NEWEST_RULES, type TextRules } from '@ugc/text/rules/text-rules';
import { WITHOUT_LOCK } from './index-lock.ts';
import type { Stores } from '../processes/service.ts';

export const OLDER_VERSION = MAPPING_VERSION - 1;

/** Made up: they neither fold styled letters nor separate katakana, know no loose keys, and sort numbers by their digits. */
export const OLDER_RULES: TextRules = {
  ...NEWEST_RULES,
  mappingVersion: OLDER_VERSION,
  fold: foldText,
  separate: NEWEST_RULES.separateInPlace,
  nameKeys: (name) => ({ whole: nameKey(name, OLDER_RULES), loose: [], joined: [] }),
  sortKey: foldText,
  nameSortKey: foldText,
};

/** In this group of tests, the code knows an older mapping too, as it does from the second release on. */
export function knowOlderMapping(): void {
  beforeAll(() => void KNOWN_RULES.unshift(OLDER_RULES));
  afterAll(() => void KNOWN_RULES.shift());
}

type OlderStores = Pick<Stores, 'database' | 'elasticsearch'> & { alias: string };

/** Creates what an older release leaves behind: an index with all items, listed as the searched one. */
export async function createOlderIndex(stores: OlderStores): Promise<void> {
  const { database, elasticsearch, alias } = stores;
  const index = `${alias}-v${OLDER_VERSION}-20260101000000000`;
  const mappings = { ...INDEX_BODY.mappings, _meta: indexMeta(OLDER_VERSION, await readIdentity(database)) };
  await elasticsearch.indices.create({ index, ...INDEX_BODY, mappings, aliases: { [alias]: {} } });
  const { [index]: state } = await elasticsearch.indices.get({ index });
  await changeTargets(database, WITHOUT_LOCK, async (tx) => {
    await addNextTarget(tx, index);
    await tx.query(`update index_target set mapping_version = $1 where index_name = $2`, [OLDER_VERSION, index]);
    await setRole(tx, index, 'search');
  });
  await setUuid(database, WITHOUT_LOCK, { indexName: index, uuid: state?.settings?.index?.uuid ?? '' });
  await writeDocuments(stores, index);
}

async function writeDocuments({ database, elasticsearch }: OlderStores, index: string): Promise<void> {
  const rows = await database.query<IndexedContent>(`select ${INDEXED_CONTENT} from content c join users u on u.user_id = c.creator_id`);
  const operations: (estypes.BulkOperationContainer | object)[] = rows.flatMap((row) => [
    { index: { _id: String(row.contentId), version: row.revision, version_type: 'external_gte' as const } },
    toDocument(row, OLDER_RULES),
  ]);
  const { errors } = await elasticsearch.bulk({ index, operations, refresh: true });
  if (errors) throw new Error(`the index ${index} rejects a document`);
  await database.query('delete from index_outbox');
}
