import { describeDatabase } from '../contracts/database-identity.ts';
import type { UnlistedIndex } from '../contracts/operations-status.ts';
import { readForeignJob } from '../indices/index-control.ts';
import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';
import type { Database } from '../postgres/postgres.ts';
import { FOREIGN_BEATS_OF_A_TWIN } from '../ownership/heartbeat.ts';
import { describeForeign } from '../ownership/ownership.ts';
import {
  hasBlockOfSwap,
  inspectIndices,
  unlistedIndices,
  type InspectDeps,
  type InspectedTarget,
  type Inspection,
} from '../ownership/inspect-indices.ts';
import { recordIndex } from '../ownership/owner-records.ts';
import { aliasHolders, NotSearchable, searchedIndex, describeClosed } from '../indices/searched-index.ts';
import type { Role } from '../indices/targets.ts';
import { describeWithheld, isWithheld } from '../indices/index-history.ts';
import { countMissingShards, describeNotStarted, explainMissingShard } from '../indices/missing-shards.ts';
import { probeWrite, type Refusal } from '../indices/write-probe.ts';
import type { ErrorKind } from '../elasticsearch/errors.ts';
import type { Log } from '../process/log.ts';
import { cached } from '../timing/intervals.ts';
import { describeOldTransaction, readOldTransactions } from '../postgres/old-transactions.ts';
import { readCollationProblem } from '../postgres/storing.ts';
import { withTimeout } from '../timing/timeouts.ts';

type ProblemSources = { database: Database; elasticsearch: Elasticsearch; alias: string; queuePrefix: string };

/**
 * What keeps items from the index or lists from being answered. Each sentence names the indices or databases involved and
 * what to do.
 */
export async function readIndexProblems(sources: ProblemSources, inspection: Inspection): Promise<string[]> {
  const { database, elasticsearch, alias, queuePrefix } = sources;
  const foreignJob = await readForeignJob(database);
  const collationProblem = await readCollationProblem(database);
  const oldTransaction = describeOldTransaction(await readOldTransactions(database));
  const [control] = await database.query<{ foreignBeats: number }>(`select foreign_beats from index_control`);
  return [
    // A closed index is in both.
    ...new Set([...indexProblems(inspection, alias), ...(await readWriteProblems(elasticsearch, inspection))]),
    ...(await readNotStarted(elasticsearch, inspection, alias)),
    ...(await readSettingProblems(elasticsearch)),
    ...(collationProblem === undefined ? [] : [collationProblem]),
    ...(oldTransaction === undefined ? [] : [oldTransaction]),
    ...(foreignJob
      ? [
          `the queue ${queuePrefix} (QUEUE_PREFIX) contains jobs of the database ${foreignJob.database}; this is ` +
            `${describeDatabase(inspection.self)}: if both run, set another QUEUE_PREFIX for one of the two; if this one has ` +
            'replaced the other, wait: a job that nobody takes is removed 10 minutes after it was made',
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

const PROBLEMS_KEPT_MS = 10_000;
const ERROR_KEPT_MS = 1_000;

/** Readiness and metrics share the problems. The log has them when they change. */
export function shareIndexProblems(sources: InspectDeps & { queuePrefix: string; log: Log }): () => Promise<string[]> {
  let logged: string[] = [];
  const read = async (): Promise<string[]> => {
    const problems = await readIndexProblems(sources, await inspectIndices(sources));
    if (String(problems) === String(logged)) return problems;
    if (problems.length > 0) sources.log.error({ problems }, 'the indices or the queue need an operator');
    else sources.log.info('the indices and the queue need no operator any more');
    logged = problems;
    return problems;
  };
  return cached(PROBLEMS_KEPT_MS, read, ERROR_KEPT_MS);
}

/** Another verdict changes by itself. */
function remedyOf({ verdict }: Pick<InspectedTarget, 'verdict'>, alias: string): string {
  if (verdict !== 'foreign') return '';
  return `: if this is a copy, set another CONTENT_ALIAS (now ${alias}); if it replaces the other one, run npx pnpm index:adopt`;
}

/** Why lists fail or indices are not written. */
function indexProblems({ self, targets, states }: Inspection, alias: string): string[] {
  const problems = targets
    .filter(({ verdict }) => verdict !== 'own' && verdict !== 'missing')
    .map((target) => `${describeForeign(self, target.indexName, target)}; nothing is written to it${remedyOf(target, alias)}`);
  const withheld = targets.filter((target) => target.searched && isWithheld(target, states.get(target.indexName)?.history ?? ''));
  problems.push(...withheld.map(({ indexName }) => describeWithheld(indexName)));
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
async function readWriteProblems(elasticsearch: Elasticsearch, { targets }: Inspection): Promise<string[]> {
  // A swap blocks writes for a moment.
  const written = targets.filter(
    (target) => target.verdict === 'own' && target.intact && target.retiredReason === null && !hasBlockOfSwap(target),
  );
  const problems = written.map(async (target) => {
    const refusal = await withTimeout(PROBE_TIMEOUT_MS, probeWrite(elasticsearch, target.indexName));
    return refusal && describeRefusal(target, refusal);
  });
  return (await Promise.all(problems)).filter((problem) => problem !== undefined);
}

/** Why the creation of an index does not end. It has no UUID in the list until its shards have started. */
async function readNotStarted(elasticsearch: Elasticsearch, { targets, states }: Inspection, alias: string): Promise<string[]> {
  const isCreated = ({ role, uuid, indexName }: InspectedTarget) => role === 'next' && uuid === null && states.has(indexName);
  const created = targets.filter(isCreated).map(({ indexName }) => indexName);
  if (aliasHolders(states, alias).length === 0) created.push(recordIndex(alias));
  const problems = created.map(async (indexName) => {
    if ((await countMissingShards(elasticsearch, indexName)) === 0) return undefined;
    return describeNotStarted(indexName, await explainMissingShard(elasticsearch, indexName));
  });
  const read = await Promise.all(problems.map((problem) => withTimeout(PROBE_TIMEOUT_MS, problem)));
  return read.filter((problem) => problem !== undefined);
}

function describeRefusal({ indexName, role }: { indexName: string; role: Role }, { kind, reason }: Refusal): string | undefined {
  const remedy = kind && REMEDIES[kind];
  if (!remedy) return undefined;
  if (reason.startsWith('index_closed_exception')) return describeClosed(indexName) + WITHOUT_IT[role];
  return `${indexName} accepts no changes (${reason}): ${remedy(indexName)}${WITHOUT_IT[role]}`;
}

/** More than the days between the first item and the last, which facets count. */
const MIN_BUCKETS = 10_000;

type Rule = { setting: `search.${string}`; isWrong: (value: string) => boolean; problem: string };

/** Settings of the cluster with which searches fail. */
const RULES: Rule[] = [
  {
    setting: 'search.allow_expensive_queries',
    isWrong: (value) => value === 'false',
    problem: 'misspelt and incomplete words cannot be searched, so lists fail: set it to true',
  },
  {
    setting: 'search.max_buckets',
    isWrong: (value) => Number(value) < MIN_BUCKETS,
    problem: `facets fail: set it to ${MIN_BUCKETS} or more`,
  },
];

/** Those of the configuration files are among the defaults. */
const PRECEDENCE = ['transient', 'persistent', 'defaults'] as const;
type Settings = Partial<Record<(typeof PRECEDENCE)[number], { search?: Record<string, unknown> }>>;

/** @returns which settings of the cluster make searches fail; none if its user may not read them */
async function readSettingProblems({ cluster }: Elasticsearch): Promise<string[]> {
  const request = { include_defaults: true, filter_path: RULES.map(({ setting }) => `*.${setting}`) };
  const settings: Settings = await cluster.getSettings(request).catch(() => ({}));
  return RULES.flatMap(({ setting, isWrong, problem }) => {
    const name = setting.replace('search.', '');
    const value = PRECEDENCE.map((of) => settings[of]?.search?.[name]).find((given) => typeof given === 'string');
    return value !== undefined && isWrong(value) ? [`the setting ${setting} of Elasticsearch is ${value}, so that ${problem}`] : [];
  });
}
