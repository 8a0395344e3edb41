import { describeClosed } from '../indices/searched-index.ts';
import type { Role } from '../indices/targets.ts';
import { probeWrite, type Refusal } from '../indices/write-probe.ts';
import type { Inspection } from '../ownership/inspect-indices.ts';
import type { Elasticsearch } from '../stores/elasticsearch.ts';
import type { ErrorKind } from '../stores/elasticsearch-errors.ts';
import { withTimeout } from '../timing/with-timeout.ts';

const PROBE_TIMEOUT_MS = 1_000;

/** What to do if an index refuses writes for such a reason. Other reasons pass, or are those of Elasticsearch as a whole. */
const REMEDIES: Partial<Record<ErrorKind, (indexName: string) => string>> = {
  blocked: (indexName) => `free disk space if it is full, else remove the block with PUT /${indexName}/_settings`,
  forbidden: () => 'grant the privilege to write it',
  unavailable: () => 'start the node of Elasticsearch that has its shards',
  bad_request: (indexName) => `correct its settings (GET /${indexName}/_settings), or run npx pnpm index:rebuild`,
  invalid_document: (indexName) => `correct its settings and its mapping (GET /${indexName}), or run npx pnpm index:rebuild`,
};

/** Ends the sentence for an index that is not searched, on which all changes wait nevertheless. */
const WITHOUT_IT: Record<Role, string> = {
  search: '',
  next: '; npx pnpm index:rebuild --cancel removes it',
  previous: '; npx pnpm index:rebuild --finish removes it',
};

/** Why changes cannot be written to the indices that they are written to, and what to do. */
export async function readWriteProblems(elasticsearch: Elasticsearch, { targets }: Inspection): Promise<string[]> {
  const written = targets.filter(({ verdict, intact, retiredReason }) => verdict === 'own' && intact && retiredReason === null);
  const problems = written.map(async (target) => {
    const refusal = await withTimeout(PROBE_TIMEOUT_MS, probeWrite(elasticsearch, target));
    return refusal && describeRefusal(target, refusal);
  });
  return (await Promise.all(problems)).filter((problem) => problem !== undefined);
}

function describeRefusal({ indexName, role }: { indexName: string; role: Role }, { kind, reason }: Refusal): string | undefined {
  const remedy = kind && REMEDIES[kind];
  if (!remedy) return undefined;
  if (reason.startsWith('index_closed_exception')) return describeClosed(indexName) + WITHOUT_IT[role];
  return `${indexName} accepts no changes (${reason}): ${remedy(indexName)}${WITHOUT_IT[role]}`;
}
