import type { estypes } from '@elastic/elasticsearch';
import type { Definitions } from '@ugc/fields/definition';
import { fieldProperties } from '@ugc/fields/index-fields';
import { INDEX_BODY } from './content-index.ts';

const { mappings: MAPPINGS } = INDEX_BODY;

/** What operators choose of an index, by the variables of the environment. A rebuild applies it. */
export type IndexSettings = {
  INDEX_SHARDS: number;
  /** A number, or a range such as `0-1` that follows the number of data nodes. */
  INDEX_REPLICAS: string;
  INDEX_REFRESH_INTERVAL: string;
  INDEX_FILL_CONCURRENCY: number;
  /** Whether the index has `data` of the items; lists read it from PostgreSQL otherwise. */
  INDEX_DATA: boolean;
};

/**
 * Without INDEX_DATA, Elasticsearch removes `data` from the source of every document.
 * @param definitions of the declared fields that the index has
 */
export function mappingsOf({ INDEX_DATA }: Pick<IndexSettings, 'INDEX_DATA'>, definitions: Definitions): estypes.MappingTypeMapping {
  const fields = fieldProperties(definitions);
  const mappings = fields ? { ...MAPPINGS, properties: { ...MAPPINGS.properties, fields } } : MAPPINGS;
  if (INDEX_DATA) return mappings;
  return { ...mappings, _source: { excludes: [...MAPPINGS._source.excludes, 'data'] } };
}

/**
 * Has no replicas, which would write every document of the fill again, and no refreshes, which would write many small
 * segments that are merged again. Whoever compares the index refreshes it first.
 */
export function settingsForFill({ INDEX_SHARDS }: Pick<IndexSettings, 'INDEX_SHARDS'>): estypes.IndicesIndexSettings {
  return {
    ...INDEX_BODY.settings,
    number_of_shards: INDEX_SHARDS,
    auto_expand_replicas: 'false',
    number_of_replicas: 0,
    refresh_interval: '-1',
  };
}

/** Those of an index that is filled, before it is searched. */
export function settingsForSearch({ INDEX_REPLICAS, INDEX_REFRESH_INTERVAL }: IndexSettings): estypes.IndicesIndexSettings {
  return { ...replicaSettings(INDEX_REPLICAS), refresh_interval: INDEX_REFRESH_INTERVAL };
}

function replicaSettings(replicas: string): estypes.IndicesIndexSettings {
  if (replicas.includes('-')) return { auto_expand_replicas: replicas };
  return { auto_expand_replicas: 'false', number_of_replicas: Number(replicas) };
}

/** The settings that an index has, in the form of the variables. `data`: whether its documents have `data`. */
export type PresentSettings = { shards: number; replicas: string; refreshInterval: string; data: boolean };
export type SettingChange = { variable: string; from: string; to: string };

export function presentSettings({ settings, mappings }: estypes.IndicesIndexState): PresentSettings {
  const {
    number_of_shards: shards,
    number_of_replicas: replicas,
    auto_expand_replicas: range,
    refresh_interval: interval,
  } = settings?.index ?? {};
  const data = !mappings?._source?.excludes?.includes('data');
  const isRange = typeof range === 'string' && range !== 'false';
  return { shards: Number(shards), replicas: isRange ? range : String(replicas), refreshInterval: String(interval ?? 'default'), data };
}

/** @returns what a rebuild would change */
export function settingChanges(present: PresentSettings, wanted: IndexSettings): SettingChange[] {
  const compared = [
    { variable: 'INDEX_SHARDS', from: String(present.shards), to: String(wanted.INDEX_SHARDS) },
    { variable: 'INDEX_REPLICAS', from: present.replicas, to: wanted.INDEX_REPLICAS },
    { variable: 'INDEX_REFRESH_INTERVAL', from: present.refreshInterval, to: wanted.INDEX_REFRESH_INTERVAL },
    { variable: 'INDEX_DATA', from: String(present.data), to: String(wanted.INDEX_DATA) },
  ];
  return compared.filter(({ from, to }) => from !== to);
}
