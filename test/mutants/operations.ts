import type { Mutant } from './mutant.ts';

/** The operators' page and its data. */
export const OPERATIONS_MUTANTS: Mutant[] = [
  {
    file: 'services/api/src/operators/operations-port.ts',
    from: 'return [...LOCAL_HOSTS, ...hosts].includes(name.toLowerCase());',
    to: 'return name !== "";',
    why: 'any web page can read the operations status by DNS rebinding',
    test: 'api/operations',
  },
  {
    file: 'services/api/src/operators/operations-port.ts',
    from: String.raw`(?::\d{1,5})?$/i`,
    to: String.raw`(?::\d{1,5})?/i`,
    why: 'a host name that only begins like an allowed one is accepted',
    test: 'api/operations',
  },
  {
    file: 'services/api/src/operators/operations-port.ts',
    from: "if (request.method !== 'GET' && request.method !== 'HEAD')",
    to: "if (request.method === 'none')",
    why: 'the operations status responds to a POST as if it did something',
    test: 'api/operations',
  },
  {
    file: 'services/api/src/operators/read-part.ts',
    from: 'const value = await withTimeout(READ_TIMEOUT_MS, reading);',
    to: 'const value = await reading;',
    why: 'the operations status fails as a whole because one store is down',
    test: 'api/operations',
  },
  {
    file: 'services/api/src/operators/read-outbox.ts',
    from: "isAll ? items.length : await countChanges(database, 'rejected')",
    to: 'items.length',
    why: 'operators see 20 rejected items where there are more',
    test: 'api/operations',
  },
  {
    file: 'services/api/src/operators/read-outbox.ts',
    from: 'item.reason.slice(0, REASON_MAX_CHARACTERS)',
    to: 'item.reason',
    why: 'a page of rejected items has any size',
    test: 'api/operations',
  },
  {
    file: 'services/api/src/operators/backlog-history.ts',
    from: 'this.#samples = [...kept, sample].slice(-(Math.floor(this.#keptMs / this.#intervalMs) + 1));',
    to: 'this.#samples = [...kept, ...this.#samples, sample];',
    why: 'the samples of the backlog take ever more memory',
    test: 'unit/backlog-history',
  },
  {
    file: 'packages/shared/src/locks/lock-row.ts',
    from: 'and granted and',
    to: 'and not granted and',
    why: 'operators see a running rebuild as stopped',
    test: 'api/operations',
  },
  {
    file: 'packages/shared/src/outbox/unfinished.ts',
    from: 'where claims > $1 and',
    to: 'where claims < $1 and',
    why: 'operators do not see the items whose jobs do not end',
    test: 'api/operations',
  },
];
