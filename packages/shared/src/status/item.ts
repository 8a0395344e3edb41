import { LIVE } from '../contracts/content-index.ts';
import { HIDDEN_AT } from '../contracts/hidden.ts';
import type { UnpublishedKind } from '../contracts/unpublished.ts';
import type { estypes } from '@elastic/elasticsearch';
import type { ItemInIndex, ItemReport } from '../contracts/operations-status.ts';
import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';
import { inspectIndices, type InspectDeps, type InspectedTarget, type Inspection } from '../ownership/inspect-indices.ts';
import type { Database } from '../postgres/postgres.ts';
import { textRulesOf } from '@ugc/text/rules/text-rules';
import { readPart, type OnError } from './read-part.ts';

/** Tells why an item is found or not. @throws DatabaseUnavailable */
export async function readItem(sources: InspectDeps, contentId: number, onError: OnError): Promise<ItemReport> {
  const row = await readRow(sources.database, contentId);
  const inspection = inspectIndices(sources);
  const [indices, search] = await Promise.all([
    readPart(
      'Elasticsearch',
      inspection.then((found) => readVersions(sources.elasticsearch, found, contentId)),
      onError,
    ),
    readPart(
      'Elasticsearch',
      inspection.then((found) => searchName(sources.elasticsearch, found, { contentId, name: row.stored?.name })),
      onError,
    ),
  ]);
  return { contentId, ...row, indices, search };
}

type Row = Pick<ItemReport, 'stored' | 'change' | 'droppedReason' | 'droppedAt'>;

async function readRow({ query }: Database, contentId: number): Promise<Row> {
  const [row] = await query<Row>(
    `/* read item */ select d.reason as dropped_reason, to_jsonb(d.dropped_at) #>> '{}' as dropped_at,
       case when c.content_id is not null then
         jsonb_build_object('revision', c.revision, 'name', c.name, 'deletedAt', nullif(c.deleted_at, ${HIDDEN_AT}), 'hiddenAt', h.hidden_at,
           'visibility', coalesce(p.kind, 'public'))
       end as stored,
       case when o.content_id is not null then
         jsonb_build_object('revision', o.revision, 'since', o.pending_since, 'claims', o.claims, 'rejectedReason', o.rejected_reason) end as change
     from (select $1::bigint as content_id) i left join content c using (content_id) left join index_outbox o using (content_id)
       left join hidden_content h using (content_id) left join unpublished_content p using (content_id)
       left join index_dropped d on d.content_id = i.content_id and d.revision = c.revision`,
    [contentId],
  );
  return row ?? { stored: null, change: null, droppedReason: null, droppedAt: null };
}

/** The versions are read in real time, without a refresh. A closed index does not tell them. */
async function readVersions(elasticsearch: Elasticsearch, { targets, states }: Inspection, contentId: number): Promise<ItemInIndex[]> {
  const open = targets.filter(({ intact, indexName }) => intact && !states.get(indexName)?.closed);
  return Promise.all(open.map((target) => readVersion(elasticsearch, target, contentId)));
}

async function readVersion(elasticsearch: Elasticsearch, target: InspectedTarget, contentId: number): Promise<ItemInIndex> {
  const { indexName, role } = target;
  const request = { index: indexName, id: String(contentId), _source_includes: ['deleted'] };
  const { found, _version: version, _source: source } = await elasticsearch.get<{ deleted?: boolean }>(request, { ignore: [404] });
  return { indexName, role, revision: found ? (version ?? null) : null, deleted: source?.deleted === true };
}

type Named = { contentId: number; name: string | undefined };
type Own = { own: estypes.AggregationsFilterAggregate };

/** The name is searched by its key, as lists do it to put equal names first. */
async function searchName(elasticsearch: Elasticsearch, { targets }: Inspection, { contentId, name }: Named) {
  const searched = targets.find((target) => target.searched);
  if (!searched || !name) return null;
  const { whole } = textRulesOf(searched.mappingVersion).nameKeys(name);
  const { hits, aggregations } = await elasticsearch.search<unknown, Own>({
    index: searched.indexName,
    size: 0,
    track_total_hits: true,
    query: { bool: { filter: [{ term: { nameKey: whole } }, LIVE] } },
    aggregations: { own: { filter: { ids: { values: [String(contentId)] } } } },
  });
  const own = aggregations?.own.doc_count ?? 0;
  return { isFound: own > 0, others: (hits.total as estypes.SearchTotalHits).value - own };
}

type Line = [label: string, text: string];

/** The report in words, for the command and the operators' page. */
export function describeItem(report: ItemReport): Line[] {
  const { indices, search } = report;
  return [
    ['stored', describeStored(report)],
    ['change', describeChange(report)],
    ...('problem' in indices ? [['indices', indices.problem] as Line] : indices.value.map((index) => describeVersion(report, index))),
    ['search', 'problem' in search ? search.problem : describeSearch(search.value)],
  ];
}

/** What the creator of an item that is not public has decided. */
const IN_WORDS: Record<UnpublishedKind, string> = { draft: 'a draft', unlisted: 'unlisted', review: 'in review' };

function describeStored({ stored }: ItemReport): string {
  if (!stored) return 'PostgreSQL does not have it: it has never existed, or was deleted more than seven days ago';
  const { revision, name, deletedAt, hiddenAt, visibility } = stored;
  if (deletedAt !== null) return `deleted at ${deletedAt}`;
  const hidden = hiddenAt === null ? '' : `, hidden since ${hiddenAt}: every index has it as deleted until a moderator shows it again`;
  const unpublished = visibility === 'public' ? '' : `, ${IN_WORDS[visibility]}: no index has it, or as deleted`;
  return `revision ${revision}, ${JSON.stringify(name)}${unpublished}${hidden}`;
}

function describeChange({ contentId, change, droppedReason, droppedAt }: ItemReport): string {
  if (!change) return droppedReason === null ? 'none is pending' : `dropped at ${droppedAt}, until the next one: ${droppedReason}`;
  const { revision, since, claims, rejectedReason } = change;
  if (rejectedReason !== null)
    return `revision ${revision} is rejected since ${since}: ${rejectedReason}; npx pnpm index:rejected retry ${contentId} indexes it again`;
  return `revision ${revision} is pending since ${since}${claims > 1 ? `, after ${claims} jobs` : ''}`;
}

function describeVersion(report: ItemReport, { indexName, role, revision, deleted }: ItemInIndex): Line {
  const has = revision === null ? 'does not have it' : `has revision ${revision}${deleted ? ', as deleted' : ''}`;
  const shown = role === 'search' && revision !== null && !deleted ? describeShown(report, revision) : '';
  return [indexName, `${has} (${role})${shown}`];
}

/** A change that is rejected, or was dropped after that, leaves an earlier state of the item in lists. */
function describeShown({ stored, change, droppedAt }: ItemReport, revision: number): string {
  const since = change ? change.rejectedReason && change.since : droppedAt;
  if (!since || revision >= (stored?.revision ?? 0)) return '';
  return `: lists show this earlier state, since ${since} and until a later change is accepted`;
}

function describeSearch(search: { isFound: boolean; others: number } | null): string {
  if (!search) return 'its name is not known, or no index is searched';
  return `a search for its name ${search.isFound ? 'finds it' : 'does not find it'}, and ${search.others} others of the same name`;
}
