import { listTargets } from '@ugc/shared/indices/targets';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import type { Database } from '@ugc/shared/stores/postgres';
import { readRevisions } from '../documents/read-revisions.ts';

type Stores = { database: Database; elasticsearch: Elasticsearch };

/** The versions of documents, by the id of the item, by the name of the target. */
export type Versions = Map<string, Map<number, number>>;

/** Reads every target that is written, in real time. A revision above all of these versions is accepted by all. */
export async function readVersions({ database, elasticsearch }: Stores, contentIds: number[]): Promise<Versions> {
  const versions: Versions = new Map();
  for (const { indexName, retiredReason } of await listTargets(database)) {
    if (retiredReason === null) versions.set(indexName, await readRevisions(elasticsearch, indexName, contentIds));
  }
  return versions;
}

/** @returns 0 if no target has a document */
export function greatestVersion(versions: Versions, contentId: number): number {
  return Math.max(0, ...[...versions.values()].map((ofTarget) => ofTarget.get(contentId) ?? 0));
}
