import type { estypes } from '@elastic/elasticsearch';
import { fromStored, type Definitions, type StoredDefinitions } from '@ugc/fields/definition';
import { mappedFields } from '../contracts/content-index.ts';
import { DatabaseIdentity } from '../contracts/database-identity.ts';
import { presentSettings, type PresentSettings } from '../contracts/index-settings.ts';
import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';
import { ALWAYS } from '../elasticsearch/second-attempts.ts';

/** An index as Elasticsearch describes it. `aliases`: those that point to it. `owner`: undefined for the previous release. */
export type IndexState = {
  uuid: string | undefined;
  aliases: string[];
  closed: boolean;
  writesBlocked: boolean;
  owner: DatabaseIdentity | undefined;
  mappingVersion: number | undefined;
  /** Those of its mapping. */
  fields: ReadonlySet<string>;
  /** Those by which its documents are made. */
  definitions: Definitions;
  settings: PresentSettings;
  /** Empty before Elasticsearch has restored the index for the first time. */
  history: string;
};

/** Elasticsearch sets it when it closes an index, and removes it when it opens the index. */
const IF_CLOSED = 'verified_before_close';
const SETTINGS = [
  'uuid',
  'blocks',
  'number_of_shards',
  'number_of_replicas',
  'auto_expand_replicas',
  'refresh_interval',
  IF_CLOSED,
  'history',
];
const FIELDS = SETTINGS.map((setting) => `*.settings.index.${setting}`);
const UNKNOWN_OWNER: DatabaseIdentity = { id: 'unknown', system: 'unknown', oid: 'unknown', address: 'unknown', name: 'unknown' };

/**
 * @param names of indices and aliases, and patterns. Without `mustExist` they may be missing.
 * @returns the states by the name of the index; a closed index has one, too
 */
export async function readIndexStates(
  elasticsearch: Elasticsearch,
  { names, mustExist = false }: { names: string[]; mustExist?: boolean },
): Promise<Map<string, IndexState>> {
  if (names.length === 0) return new Map();
  const request = {
    index: names,
    ignore_unavailable: !mustExist,
    expand_wildcards: ['open' as const, 'closed' as const],
    filter_path: [...FIELDS, '*.aliases', '*.mappings._meta', '*.mappings._source', '*.mappings.properties'],
  };
  const indices = await elasticsearch.indices.get(request, { context: ALWAYS });
  return new Map(Object.entries(indices).map(([name, index]) => [name, toState(index)]));
}

function toState(state: estypes.IndicesIndexState): IndexState {
  const { settings: { index = {} } = {}, aliases = {}, mappings: { _meta: meta = {}, properties } = {} } = state;
  const version: unknown = meta['version'];
  return {
    uuid: index.uuid,
    aliases: Object.keys(aliases),
    closed: String(index[IF_CLOSED]) === 'true',
    writesBlocked: String(index.blocks?.write) === 'true',
    owner: toOwner(meta['owner']),
    mappingVersion: typeof version === 'number' ? version : undefined,
    fields: new Set(mappedFields(properties)),
    definitions: fromStored(meta['fields'] as StoredDefinitions | undefined),
    settings: presentSettings(state),
    history: historyOf(index),
  };
}

/** The client does not know the setting. */
function historyOf(index: object): string {
  return (index as { history?: { uuid?: string } }).history?.uuid ?? '';
}

/** An owner in a form that this release cannot read is another database. */
function toOwner(owner: unknown): DatabaseIdentity | undefined {
  return owner === undefined ? undefined : (DatabaseIdentity.safeParse(owner).data ?? UNKNOWN_OWNER);
}
