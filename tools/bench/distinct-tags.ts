import { toDocument } from '@ugc/indexer/documents/document';
import { progressBar } from '@ugc/shared/cli/output';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { connectElasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import type { estypes } from '@elastic/elasticsearch';
import { startCluster } from '../../test/support/cluster/cluster.ts';
import { indexedContent } from '../../test/support/indices/indexed-content.ts';
import { words } from './collection/words.ts';
import { cpuSeconds } from './table/cpu-time.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 200_000);
const TAGS_OF_ITEM = 3;
const FEW = 1_000;
const BATCH_SIZE = 4_000;
const CHANGES = 40;
const ROUNDS = 5;

/** `distinct`: how many tags and creators there are. `isEager`: whether each refresh builds their ordinals, as in 1.0.0. */
type Side = { name: string; distinct: number; isEager: boolean };

const SIDES: Side[] = [
  { name: `${FEW} tags and creators`, distinct: FEW, isEager: false },
  { name: `${TAGS_OF_ITEM * ITEMS} tags, ${ITEMS} creators`, distinct: TAGS_OF_ITEM * ITEMS, isEager: false },
  { name: 'the same, ordinals built by each refresh', distinct: TAGS_OF_ITEM * ITEMS, isEager: true },
];

/** What it costs Elasticsearch to show one changed item, by how many distinct tags and creators the index has. */
export async function benchDistinctTags(): Promise<void> {
  const cluster = await startCluster({ elasticsearch: true });
  const elasticsearch = connectElasticsearch(cluster.env['ELASTICSEARCH_URL'] ?? '', 600_000);
  for (const side of SIDES) await fill(elasticsearch, side);
  const figures = new Map(SIDES.map(({ name }) => [name, [] as { ms: number; cpuMs: number }[]]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const side of SIDES) {
      const [startedAt, before] = [performance.now(), cpuSeconds(cluster.elasticsearchServer)];
      for (let n = 0; n < CHANGES; n += 1) await change(elasticsearch, side, ITEMS + round * CHANGES + n);
      const [ms, cpuMs] = [performance.now() - startedAt, 1_000 * (cpuSeconds(cluster.elasticsearchServer) - before)];
      // The first round warms up.
      if (round > 0) figures.get(side.name)?.push({ ms: ms / CHANGES, cpuMs: cpuMs / CHANGES });
    }
  }
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
  const rows = Array.from(figures, ([index, rounds]) => ({
    index,
    'ms until searchable': Number(median(rounds.map(({ ms }) => ms)).toFixed(1)),
    'ms of processor time': Number(median(rounds.map(({ cpuMs }) => cpuMs)).toFixed(1)),
  }));
  console.table(rows);
  await elasticsearch.close();
  await cluster.stop();
}

type Client = ReturnType<typeof connectElasticsearch>;

async function fill(elasticsearch: Client, side: Side): Promise<void> {
  const index = indexOf(side);
  await elasticsearch.indices.create({ index, settings: { ...INDEX_BODY.settings, refresh_interval: '-1' }, mappings: mappingsOf(side) });
  const bar = progressBar(`Indexing ${side.name}`);
  for (let first = 0; first < ITEMS; first += BATCH_SIZE) {
    const ids = Array.from({ length: Math.min(BATCH_SIZE, ITEMS - first) }, (_, n) => first + n);
    const operations = ids.flatMap((id) => [{ index: { _id: String(id) } }, documentOf(id, side)]);
    const { errors } = await elasticsearch.bulk({ index, operations, filter_path: 'errors' });
    if (errors) throw new Error('a document was rejected');
    bar.update(Math.min(first + BATCH_SIZE, ITEMS), ITEMS);
  }
  bar.end();
  await elasticsearch.indices.refresh({ index });
  await elasticsearch.indices.forcemerge({ index, max_num_segments: 3 });
}

function indexOf({ distinct, isEager }: Side): string {
  return `distinct-${distinct}${isEager ? '-eager' : ''}`;
}

function mappingsOf({ isEager }: Side): estypes.MappingTypeMapping {
  const { properties = {}, ...others }: estypes.MappingTypeMapping = INDEX_BODY.mappings;
  if (!isEager) return { ...others, properties };
  const eager = { eager_global_ordinals: true };
  const facets = properties['facets'] as estypes.MappingObjectProperty;
  const creatorId = { ...facets.properties?.['creatorId'], ...eager } as estypes.MappingProperty;
  return {
    ...others,
    properties: {
      ...properties,
      tagKeys: { ...properties['tagKeys'], ...eager } as estypes.MappingProperty,
      facets: { properties: { ...facets.properties, creatorId } },
    },
  };
}

async function change(elasticsearch: Client, side: Side, id: number): Promise<void> {
  const index = indexOf(side);
  await elasticsearch.index({ index, id: String(id % ITEMS), document: documentOf(id, side) });
  await elasticsearch.indices.refresh({ index });
}

function documentOf(id: number, { distinct }: Side): object {
  const tags = Array.from({ length: TAGS_OF_ITEM }, (_, n) => `tag ${(id * TAGS_OF_ITEM + n) % distinct}`);
  const creator = 1 + (id % (distinct / TAGS_OF_ITEM));
  const texts = { name: words(3), description: words(10), creatorName: `user ${creator}` };
  const row = indexedContent({ ...texts, contentId: id, creatorId: creator, tags, createdAt: new Date(id * 1_000) });
  return toDocument(row, NEWEST_RULES);
}
