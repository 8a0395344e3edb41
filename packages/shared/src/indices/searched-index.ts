import { describeDatabase } from '../contracts/database-identity.ts';
import { isKnownMapping } from '@ugc/text/rules/text-rules';
import type { IndexState } from './read-index-states.ts';
import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';

/** The index that lists search. */
export type SearchableIndex = { name: string; mappingVersion: number; state: IndexState };

/** Lists cannot be answered. The message is for operators: it names the indices, their databases and what to do. */
export class NotSearchable extends Error {
  override readonly name = 'NotSearchable';
}

/**
 * What a list needs: one open index that has the alias, and that this service has created.
 * @param states of whatever has the alias; others are ignored
 * @throws NotSearchable
 */
export function searchedIndex(states: Map<string, IndexState>, alias: string): SearchableIndex {
  const [first, ...others] = aliasHolders(states, alias);
  if (!first) throw new NotSearchable(describeMissing(alias));
  if (first.name === alias) throw new NotSearchable(describeNamesake(alias));
  if (others.length > 0) throw new NotSearchable(describeHolders(alias, [first, ...others]));
  const { mappingVersion } = first.state;
  if (mappingVersion === undefined)
    throw new NotSearchable(`the alias ${alias} (CONTENT_ALIAS) points to ${first.name}, which is not an index of this service`);
  if (!isKnownMapping(mappingVersion))
    throw new NotSearchable(
      `${first.name} has mapping version ${mappingVersion}, which this release does not know; an indexer builds it anew`,
    );
  if (first.state.closed) throw new NotSearchable(describeClosed(first.name));
  return { ...first, mappingVersion };
}

export function describeClosed(indexName: string): string {
  return `${indexName} is closed in Elasticsearch: open it with POST /${indexName}/_open`;
}

export function describeMissing(alias: string): string {
  return `no index has the alias ${alias} (CONTENT_ALIAS) yet; the indexer sets it when an index is complete`;
}

export type AliasHolder = { name: string; state: IndexState };

/** An index with the name of the alias is the only holder: Elasticsearch permits no alias of this name beside it. */
export function aliasHolders(states: Map<string, IndexState>, alias: string): AliasHolder[] {
  const holders = [...states].map(([name, state]) => ({ name, state }));
  return holders.filter(({ name, state }) => name === alias || state.aliases.includes(alias));
}

export function describeNamesake(alias: string): string {
  return (
    `an index has the name ${alias}, which must be an alias (CONTENT_ALIAS); no part of this service has created it: ` +
    `save its documents if you need them, then run npx pnpm index:rebuild --remove ${alias}`
  );
}

export function describeHolders(alias: string, holders: AliasHolder[]): string {
  const described = holders.map(
    ({ name, state: { owner } }) => `${name} (${owner ? `of ${describeDatabase(owner)}` : 'of no known database'})`,
  );
  return `the alias ${alias} (CONTENT_ALIAS) points to several indices: ${described.join(', ')}`;
}

/**
 * Makes searchable what was written to an index. Elasticsearch responds with 200 also if some of the shards have failed.
 * @param options `requestTimeout` in milliseconds; that of the client by default
 * @throws Error unless every copy that has a node was refreshed · errors of Elasticsearch
 */
export async function refreshIndex(
  { indices }: Pick<Elasticsearch, 'indices'>,
  index: string,
  options: { requestTimeout?: number } = {},
): Promise<void> {
  const { _shards: shards } = await indices.refresh({ index }, options);
  if ((shards?.failed ?? 0) > 0) throw new Error(`${shards?.failed} of ${shards?.total} shards of ${index} could not be refreshed`);
}
