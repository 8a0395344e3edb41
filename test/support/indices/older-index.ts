import type { estypes } from '@elastic/elasticsearch';
import { toDocument } from '@ugc/indexer/documents/document';
import { NO_FIELDS } from '@ugc/fields/definition';
import { INDEXED_CONTENT, type IndexedContent } from '@ugc/shared/contracts/content';
import { type INDEX_BODY, indexMeta } from '@ugc/shared/contracts/content-index';
import { readIdentity } from '@ugc/shared/contracts/database-identity';
import { addNextTarget, changeTargets, setRole, setUuid } from '@ugc/shared/indices/targets';
import { KNOWN_RULES, NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { KEPT_RELEASES, readKept } from '../compatibility/kept.ts';
import { WITHOUT_LOCK } from './index-lock.ts';
import type { Stores } from '../processes/service.ts';

/** Those of the newest release that has others. */
export const OLDER_RULES = KNOWN_RULES.at(-2) ?? NEWEST_RULES;
export const OLDER_VERSION = OLDER_RULES.mappingVersion;
/** One that no code knows. */
export const UNKNOWN_VERSION = (KNOWN_RULES[0] ?? NEWEST_RULES).mappingVersion - 1;

type Older = { lacking?: string[]; version?: number };
type OlderStores = Pick<Stores, 'database' | 'elasticsearch'> & { alias: string };

const indexOf = (release: string) => JSON.parse(readKept(release, 'index.json') ?? '') as typeof INDEX_BODY;
/** The newest release whose index has these rules. */
export const OLDER_RELEASE = KEPT_RELEASES.findLast((release) => indexOf(release).mappings._meta.version === OLDER_VERSION) ?? '';
/** What it has created its indices with. */
const RELEASED = indexOf(OLDER_RELEASE);

/**
 * Creates what an older release leaves behind: an index with all items, listed as the searched one.
 * @param lacking fields that it had not yet, such as `avgRating` and `facets.stars`
 */
export async function createOlderIndex(stores: OlderStores, { lacking = [], version = OLDER_VERSION }: Older = {}): Promise<void> {
  const { database, elasticsearch, alias } = stores;
  const index = `${alias}-v${version}-20260101000000000`;
  const mappings = structuredClone({ ...RELEASED.mappings, _meta: indexMeta(version, await readIdentity(database), NO_FIELDS) });
  for (const field of lacking) removeField(mappings.properties, field.split('.'));
  await elasticsearch.indices.create({ index, settings: RELEASED.settings, mappings, aliases: { [alias]: {} } });
  const { [index]: state } = await elasticsearch.indices.get({ index });
  await changeTargets(database, WITHOUT_LOCK, async (tx) => {
    await addNextTarget(tx, index, NO_FIELDS);
    await tx.query(`update index_target set mapping_version = $1 where index_name = $2`, [version, index]);
    await setRole(tx, index, 'search');
  });
  await setUuid(database, WITHOUT_LOCK, { indexName: index, uuid: state?.settings?.index?.uuid ?? '' });
  await writeDocuments(stores, index);
}

function removeField(properties: Record<string, estypes.MappingProperty>, [name = '', ...rest]: string[]): void {
  const property = properties[name];
  if (property && rest.length > 0 && 'properties' in property) return removeField(property.properties ?? {}, rest);
  if (!property) throw new Error(`no field ${name} is mapped`);
  delete properties[name];
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
