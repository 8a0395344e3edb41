import { errors, type estypes } from '@elastic/elasticsearch';
import type { Definitions } from '@ugc/fields/definition';
import { indexMeta, indexPattern, MAPPING_VERSION, newIndexName } from '@ugc/shared/contracts/content-index';
import { readDeclaredFields } from '@ugc/shared/fields/declared-fields';
import { mappingsOf, settingsForFill } from '@ugc/shared/contracts/index-settings';
import { addNextTarget, changeTargets, findTarget, setUuid, type IndexTarget } from '@ugc/shared/indices/targets';
import { readIdentity, type DatabaseIdentity } from '@ugc/shared/contracts/database-identity';
import { createOwnerRecords, recordIndex } from '@ugc/shared/ownership/owner-records';
import { countMissingShards, describeNotStarted, explainMissingShard, WITH_SHARDS } from '@ugc/shared/indices/missing-shards';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { forgetIndex, RebuildError, type IndexDeps, type LockedDeps } from '../targets/target-indices.ts';

/** The index is listed as a target first, so a crash cannot leave an unknown index behind. @throws RebuildError */
export async function createNextIndex(deps: LockedDeps): Promise<IndexTarget> {
  const { database, elasticsearch, alias, lock } = deps;
  await putTemplate(deps);
  await createOwnerRecords(elasticsearch, alias);
  const records = recordIndex(alias);
  if ((await countMissingShards(elasticsearch, records)) > 0) throw await notStarted(elasticsearch, records);
  const indexName = newIndexName(alias, new Date());
  const owner = await readIdentity(database);
  const definitions = await readDeclaredFields(database);
  await changeTargets(database, lock, (tx) => addNextTarget(tx, indexName, definitions));
  try {
    await lock.assertHeld();
    await createIndex(deps, indexName, { owner, definitions });
  } catch (error) {
    // The index would stay without a UUID in the list. The problems tell why one does not start, until it is removed.
    if (error instanceof RebuildError && !(error instanceof ShardNotStarted)) await forgetIndex(deps, indexName);
    throw error;
  }
  const { [indexName]: index } = await elasticsearch.indices.get({ index: indexName });
  await setUuid(database, lock, { indexName, uuid: index?.settings?.index?.uuid ?? '' });
  const next = await findTarget(deps, 'next');
  if (!next) throw new Error(`${indexName} was removed from the targets while it was created`);
  return next;
}

/** Higher than that of templates that match every index. A longer alias is the narrower pattern. */
function priorityOf(alias: string): number {
  return 500 + alias.length;
}

/**
 * Otherwise a write to a missing index, or to the alias before it is set, would create an index with a mapping derived
 * from the first document. A template of the same name that another release has put is replaced.
 */
async function putTemplate({ elasticsearch, alias }: IndexDeps): Promise<void> {
  const versions = Array.from({ length: MAPPING_VERSION + 1 }, (_, version) => `${indexPattern(alias).replace('*', '')}${version}-*`);
  const template = { name: alias, index_patterns: [alias, ...versions], priority: priorityOf(alias), allow_auto_create: false };
  try {
    await elasticsearch.indices.putIndexTemplate(template);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new RebuildError(`Elasticsearch refuses the index template ${alias}: ${error.message}`, { cause: error });
  }
}

/** Elasticsearch has created the index, and gives its shards to no node. */
class ShardNotStarted extends RebuildError {}

async function notStarted(elasticsearch: Elasticsearch, indexName: string): Promise<ShardNotStarted> {
  return new ShardNotStarted(describeNotStarted(indexName, await explainMissingShard(elasticsearch, indexName)));
}

type Described = { owner: DatabaseIdentity; definitions: Definitions };

async function createIndex(deps: IndexDeps, indexName: string, { owner, definitions }: Described): Promise<void> {
  const { elasticsearch } = deps;
  const mappings = { ...mappingsOf(deps.settings, definitions), _meta: indexMeta(MAPPING_VERSION, owner, definitions) };
  const settings = settingsForFill(deps.settings);
  try {
    const { shards_acknowledged: started } = await elasticsearch.indices.create({
      ...{ index: indexName, settings, mappings },
      ...WITH_SHARDS,
    });
    if (!started) throw await notStarted(elasticsearch, indexName);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new RebuildError(`Elasticsearch refuses to create ${indexName}: ${error.message}${await describeTemplate(deps, indexName)}`, {
      cause: error,
    });
  }
  const differences = await differencesOf(deps, indexName, mappings);
  if (differences.length === 0) return;
  await elasticsearch.indices.delete({ index: indexName });
  throw new RebuildError(
    `${indexName} would not be as this service needs it: ${differences.join(', ')}${await describeTemplate(deps, indexName)}`,
  );
}

function isRefusal(error: unknown): error is errors.ResponseError {
  return error instanceof errors.ResponseError && error.statusCode === 400;
}

/** What a template may have added to the index that documents or searches cannot live with. */
async function differencesOf({ elasticsearch }: IndexDeps, indexName: string, expected: estypes.MappingTypeMapping): Promise<string[]> {
  const { [indexName]: index } = await elasticsearch.indices.get({ index: indexName });
  const { mappings = {}, settings } = index ?? {};
  return [
    ...additionalFields(mappings, expected).map((field) => `it has the additional field ${field}`),
    ...(mappings._source?.enabled === false ? ['it stores no _source'] : []),
    ...(mappings._routing?.required === true ? ['it requires a routing'] : []),
    ...(mappings.dynamic_templates?.length ? ['it has dynamic templates'] : []),
    ...REFUSED_SETTINGS.filter((name) => settingOf(settings, name) !== undefined).map(
      (name) => `it has the setting index.${name}: ${JSON.stringify(settingOf(settings, name))}`,
    ),
  ];
}

function additionalFields({ properties = {} }: estypes.MappingTypeMapping, expected: estypes.MappingTypeMapping): string[] {
  return Object.keys(properties).filter((field) => !(field in (expected.properties ?? {})));
}

const REFUSED_SETTINGS = ['default_pipeline', 'final_pipeline', 'blocks', 'mode', 'routing_partition_size'];

function settingOf(settings: estypes.IndicesIndexSettings | undefined, name: string): unknown {
  return settings?.index?.[name];
}

/** Names the template that Elasticsearch applies instead of the service's own. */
async function describeTemplate({ elasticsearch, alias }: IndexDeps, indexName: string): Promise<string> {
  const { index_templates: templates } = await elasticsearch.indices.getIndexTemplate();
  const own = priorityOf(alias);
  const above = templates.filter(
    ({ name, index_template: template }) =>
      name !== alias && (template.priority ?? 0) > own && [template.index_patterns].flat().some((pattern) => matches(pattern, indexName)),
  );
  if (above.length === 0) return '';
  const names = above.map(({ name, index_template: { priority = 0 } }) => `${name} (priority ${priority})`).join(', ');
  return `. The index template ${names} has precedence over that of this service (priority ${own}): exclude ${alias}-v* from its patterns, or give it a lower priority`;
}

function matches(pattern: string, name: string): boolean {
  const literal = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`).test(name);
}
