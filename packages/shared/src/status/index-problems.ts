import { describeDatabase } from '../contracts/database-identity.ts';
import type { UnlistedIndex } from '../contracts/operations-status.ts';
import { readForeignJob } from '../outbox/foreign-job.ts';
import type { Elasticsearch } from '../stores/elasticsearch.ts';
import type { Database } from '../stores/postgres.ts';
import { FOREIGN_BEATS_OF_A_TWIN } from '../ownership/heartbeat.ts';
import { describeForeign } from '../ownership/ownership.ts';
import { unlistedIndices, type Inspection } from '../ownership/inspect-indices.ts';
import { aliasHolders, NotSearchable, searchedIndex } from '../indices/searched-index.ts';
import { readWriteProblems } from './write-problems.ts';

type ProblemSources = { database: Database; elasticsearch: Elasticsearch; alias: string; queuePrefix: string };

/**
 * What keeps items from the index or lists from being answered. Each sentence names the indices or databases involved and
 * what to do.
 */
export async function readIndexProblems(sources: ProblemSources, inspection: Inspection): Promise<string[]> {
  const { database, elasticsearch, alias, queuePrefix } = sources;
  const foreignJob = await readForeignJob(database);
  const [control] = await database.query<{ foreignBeats: number }>(`select foreign_beats from index_control`);
  return [
    // A closed index is in both.
    ...new Set([...indexProblems(inspection, alias), ...(await readWriteProblems(elasticsearch, inspection))]),
    ...(foreignJob
      ? [
          `the queue ${queuePrefix} (QUEUE_PREFIX) contains jobs of the database ${foreignJob.database}; this is ` +
            `${describeDatabase(inspection.self)}: set another QUEUE_PREFIX for one of the two`,
        ]
      : []),
    ...((control?.foreignBeats ?? 0) >= FOREIGN_BEATS_OF_A_TWIN
      ? [
          `another database with the identity of ${describeDatabase(inspection.self)}, a running copy of its data folder, writes to the ` +
            `same indices: stop one of the two, or set another CONTENT_ALIAS (now ${alias}) for the copy`,
        ]
      : []),
  ];
}

/** Why lists fail or indices are not written. */
function indexProblems({ self, targets, states }: Inspection, alias: string): string[] {
  const problems = targets
    .filter(({ verdict }) => verdict !== 'own' && verdict !== 'missing')
    .map((target) => `${describeForeign(self, target.indexName, target)}; nothing is written to it`);
  // Without an index that has the alias, the indexer is filling one: nothing has to be done.
  if (aliasHolders(states, alias).length === 0) return problems;
  try {
    searchedIndex(states, alias);
  } catch (error) {
    if (!(error instanceof NotSearchable)) throw error;
    problems.unshift(error.message);
  }
  return problems;
}

export function describeUnlisted({ targets, states }: Inspection, alias: string): UnlistedIndex[] {
  return unlistedIndices(states, targets, alias).map(({ indexName, state: { owner, aliases } }) => ({
    indexName,
    owner: owner ? describeDatabase(owner) : null,
    aliases,
  }));
}
