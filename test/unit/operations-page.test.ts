import { describe, expect, it } from '@jest/globals';
import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { roundUpCount, roundUpSeconds, runsOf } from '@ugc/web/operations/backlog/scale';
import { findingsOf } from '@ugc/web/operations/status/findings';
import { formatBytes, formatDuration } from '@ugc/web/operations/status/format';
import { writtenPerSecond } from '@ugc/web/operations/status/rates';

const problem = { problem: 'not read' };
const EMBEDDINGS = {
  model: 'm',
  filling: true,
  searchedModel: null,
  items: 2,
  embedded: 1,
  refused: 0,
  waiting: 1,
  oldestWaitingSeconds: 60,
};
const target = {
  indexName: 'content-v4-1',
  role: 'search' as const,
  roleSince: '2026-11-22T18:00:00.000Z',
  mappingVersion: 4,
  retiredReason: null,
  foreignOwner: null,
  index: { searched: true, writesBlocked: false, documents: 10, bytes: 1_000, written: 10 },
  problem: null,
};

function statusWith(changes: Partial<OperationsStatus> = {}): OperationsStatus {
  return {
    time: '2026-11-22T20:00:00.000Z',
    process: { startedAt: '2026-11-22T18:00:00.000Z', live: true, residentBytes: 1 },
    stores: { postgres: 'up', redis: 'up', elasticsearch: 'up' },
    redisProblems: [],
    indexing: { value: { pausedSince: null } },
    backlog: { now: { value: { pending: 5, oldestPendingSeconds: 2 } }, lastHour: [] },
    rejected: { value: { total: 0, dropped: 3, items: [] } },
    unfinished: { value: { jobCount: 0, jobs: [], isolated: [] } },
    queue: { value: { waiting: 50, active: 1, paused: false, indexers: 1, memory: { usedBytes: 1, limitBytes: null } } },
    targets: targetsWith({}),
    resources: [
      { resource: 'waiting_jobs', used: 50, limit: 50 },
      { resource: 'active_lists_of_one_user', used: 3, limit: 3 },
    ],
    ...changes,
  };
}

const targetsWith = (changes: object) => ({
  value: { mappingVersion: 4, rebuildDue: false, rebuild: null, list: [target], unlisted: [], problems: [], ...changes },
});

describe('what needs attention', () => {
  it('is nothing while all is well, also with a full queue, a busy user, and an unknown eviction policy', () => {
    expect(findingsOf(statusWith())).toEqual([]);
    expect(findingsOf(statusWith({ stores: { ...statusWith().stores, redis: 'eviction_unknown' } }))).toEqual([]);
    for (const value of [null, EMBEDDINGS]) expect(findingsOf(statusWith({ embeddings: { value } }))).toEqual([]);
  });

  it.each<[string, Partial<OperationsStatus>, string, RegExp, string | undefined]>([
    ['PostgreSQL', { stores: { ...statusWith().stores, postgres: 'down' } }, 'danger', /^PostgreSQL does not respond/, undefined],
    ['Redis', { stores: { ...statusWith().stores, redis: 'down' } }, 'danger', /^Redis does not respond/, undefined],
    [
      'a refusal of Redis',
      { stores: { ...statusWith().stores, redis: 'refuses' }, redisProblems: ['The Redis user ugc may not run eval.'] },
      'danger',
      /The Redis user ugc may not run eval/,
      undefined,
    ],
    [
      'a paused queue',
      { queue: { value: { waiting: 1, active: 0, paused: true, indexers: 1, memory: null } } },
      'warning',
      /^The queue is paused by BullMQ/,
      'npx pnpm index:resume',
    ],
    ['eviction', { stores: { ...statusWith().stores, redis: 'evicts' } }, 'danger', /noeviction/, undefined],
    ['Elasticsearch', { stores: { ...statusWith().stores, elasticsearch: 'down' } }, 'danger', /cannot be searched/, undefined],
    ['the relay', { process: { ...statusWith().process, live: false } }, 'danger', /makes no progress/, undefined],
    [
      'no indexer',
      { queue: { value: { waiting: 0, active: 0, paused: false, indexers: 0, memory: { usedBytes: 1, limitBytes: null } } } },
      'danger',
      /^No indexer/,
      undefined,
    ],
    [
      'a text that waits for the embedding service',
      { embeddings: { value: { ...EMBEDDINGS, waiting: 1, oldestWaitingSeconds: 3_601 } } },
      'warning',
      /^A text has waited for the embedding service for 1 h/,
      undefined,
    ],
    ['a pause', { indexing: { value: { pausedSince: '2026-11-22T19:00:00.000Z' } } }, 'warning', /paused since/, 'npx pnpm index:resume'],
    [
      'an old change',
      { backlog: { now: { value: { pending: 1, oldestPendingSeconds: 61 } }, lastHour: [] } },
      'danger',
      /waited for 1 min 1 s/,
      'npx pnpm index:status',
    ],
    ['rejected items', { rejected: { value: { total: 2, dropped: 0, items: [] } } }, 'warning', /2 items/, 'npx pnpm index:rejected list'],
    ['old jobs', { unfinished: { value: { jobCount: 1, jobs: [], isolated: [] } } }, 'warning', /^1 job should/, 'npx pnpm index:status'],
    ['an old mapping', { targets: targetsWith({ rebuildDue: true }) }, 'warning', /^A rebuild is due/, 'npx pnpm index:rebuild'],
    [
      'a stopped rebuild',
      { targets: targetsWith({ rebuild: { indexName: 'n', running: false, filledTo: 1, lastContentId: 2 } }) },
      'warning',
      /stopped/,
      'npx pnpm index:rebuild',
    ],
    [
      'a running rebuild',
      { targets: targetsWith({ rebuildDue: true, rebuild: { indexName: 'n', running: true, filledTo: 1, lastContentId: 2 } }) },
      'info',
      /is being filled/,
      undefined,
    ],
    ['a limit', { resources: [{ resource: 'connections', used: 81, limit: 100 }] }, 'warning', /^Connections of clients: 81 %/, undefined],
  ])('is said with the command that changes it: %s', (_, changes, severity, text, line) => {
    const findings = findingsOf(statusWith(changes));
    expect(findings).toEqual([expect.objectContaining({ severity, text: expect.stringMatching(text) })]);
    expect(findings[0]?.command?.line).toBe(line);
  });

  it('is said for parts that can be read while others cannot, the most urgent first', () => {
    const findings = findingsOf(
      statusWith({
        stores: { postgres: 'up', redis: 'up', elasticsearch: 'down' },
        indexing: problem,
        queue: problem,
        targets: problem,
        rejected: { value: { total: 1, dropped: 0, items: [] } },
      }),
    );
    expect(findings.map(({ severity }) => severity)).toEqual(['danger', 'warning']);
  });
});

it.each([
  [0, '0 s'],
  [0.44, '0.4 s'],
  [12.4, '12 s'],
  [60, '1 min'],
  [200, '3 min 20 s'],
  [7_500, '2 h 5 min'],
  [273_600, '3 d 4 h'],
])('a duration of %d s is shown as %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text));

it.each([
  [0, '0 B'],
  [512, '512 B'],
  [1_536, '1.5 KiB'],
  [268_435_456, '256 MiB'],
])('%d bytes are shown as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

it('the upper edge of a chart is a round number that is greater than its greatest value', () => {
  expect([0, 1, 3, 10, 11, 20, 412, 5_001].map(roundUpCount)).toEqual([2, 2, 5, 20, 20, 50, 500, 10_000]);
  expect([0, 0.3, 7, 61, 3_700, 200_000].map(roundUpSeconds)).toEqual([1, 1, 10, 120, 7_200, 259_200]);
});

it('a chart is interrupted where a value is not known', () => {
  const points = [1, null, 2, 3, null, null].map((value, time) => ({ time, value }));
  expect(runsOf(points).map((run) => run.map(({ value }) => value))).toEqual([[1], [2, 3]]);
});

it('the written documents per second are those between two statuses', () => {
  const later = { ...target, index: { ...target.index, written: 60 } };
  const status = statusWith({ time: '2026-11-22T20:00:05.000Z', targets: targetsWith({ list: [later] }) });
  expect(writtenPerSecond('content-v4-1', status, statusWith())).toBe(10);
  expect(writtenPerSecond('content-v4-1', status, undefined)).toBe(undefined);
  expect(writtenPerSecond('content-v4-1', statusWith({ time: status.time }), status)).toBe(undefined);
});
