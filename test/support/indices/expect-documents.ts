import { expect } from '@jest/globals';
import { fromStored } from '@ugc/fields/definition';
import { toDocument } from '@ugc/indexer/documents/document';
import { INDEXED_CONTENT, type IndexedContent } from '@ugc/shared/contracts/content';
import { listTargets, type IndexTarget } from '@ugc/shared/indices/targets';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import type { Service } from '../processes/service.ts';

/** Every document of the indices, by default of all, is what its row and its index's definitions say. */
export async function expectDocuments(
  service: Pick<Service, 'database' | 'elasticsearch' | 'indexed'>,
  isMeant: (target: IndexTarget) => boolean = () => true,
): Promise<void> {
  await service.indexed();
  const rows = await service.database.query<IndexedContent>(
    `select ${INDEXED_CONTENT} from content c join users u on u.user_id = c.creator_id where deleted_at is null`,
  );
  for (const { indexName, fields, mappingVersion } of (await listTargets(service.database)).filter(isMeant)) {
    await service.elasticsearch.indices.refresh({ index: indexName });
    const properties = (await service.elasticsearch.indices.getMapping({ index: indexName }))[indexName]?.mappings._meta?.['fields'] ?? [];
    expect(properties).toEqual(fields);
    for (const row of rows) {
      const document = toDocument(row, NEWEST_RULES, fromStored(fields));
      if (mappingVersion < NEWEST_RULES.mappingVersion || !('values' in document)) continue;
      const paths = Object.entries(document.fields ?? {}).flatMap(([kind, values]) =>
        Object.keys(values).map((name) => `fields.${kind}.${name}`),
      );
      const filter = paths.map((path) => {
        const [, kind = '', name = ''] = path.split('.');
        return { term: { [path]: [document.fields?.[kind]?.[name]].flat()[0] as string } };
      });
      const { hits } = await service.elasticsearch.search({
        index: indexName,
        query: { bool: { filter: [{ term: { contentId: row.contentId } }, ...filter] } },
      });
      expect({ indexName, source: hits.hits.map(({ _source }) => (_source as { values: unknown }).values) }).toEqual({
        indexName,
        source: [row.fields],
      });
    }
  }
}
