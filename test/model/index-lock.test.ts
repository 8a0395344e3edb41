import { describe, expect, it } from '@jest/globals';

/**
 * A process loses the index lock while a request of it to Elasticsearch is under way, another one takes the lock and
 * changes the indices, and the late request arrives at any moment. Every order is tried. After each step a change is
 * written, which a retired index does not get.
 */
type Index = { exists: boolean; role: 'search' | 'previous' | undefined; retired: boolean; lacksChange: boolean };
type State = { indices: Record<string, Index>; alias: string; refilled: boolean };
type Step = (state: State) => void;
type Rules = { retireBeforeDelete: boolean; aliasOfRetiredIsMovedBack: boolean };

const ALL: Rules = { retireBeforeDelete: true, aliasOfRetiredIsMovedBack: true };

const start = (): State => ({
  indices: {
    a: { exists: true, role: 'search', retired: false, lacksChange: false },
    b: { exists: true, role: 'previous', retired: false, lacksChange: false },
  },
  alias: 'a',
  refilled: false,
});

const find = ({ indices }: State, test: (index: Index, name: string) => boolean) =>
  Object.entries(indices).find(([name, index]) => test(index, name))?.[0];
const previousOf = (state: State) => find(state, ({ role }) => role === 'previous') ?? '';

function retire({ indices }: State, name: string): void {
  const index = indices[name];
  if (index?.role === 'previous') index.retired = true;
}

function pointAlias(state: State, name: string): void {
  if (state.indices[name]?.exists) state.alias = name;
}

function remove(state: State, name: string): void {
  const index = state.indices[name];
  if (index?.role) index.exists = false;
}

function promote(state: State, name: string): void {
  const index = state.indices[name];
  if (!index?.role) return;
  for (const other of Object.values(state.indices)) if (other.role === 'search') other.role = 'previous';
  Object.assign(index, { role: 'search', retired: false });
}

function write({ indices }: State): void {
  for (const index of Object.values(indices)) if (index.role && index.retired) index.lacksChange = true;
}

/** Does what recoverTargets does. */
function recover(state: State, rules: Rules): void {
  for (const index of Object.values(state.indices)) if (!index.exists) index.role = undefined;
  const isListed = (index: Index, name: string) =>
    name === state.alias && index.role !== undefined && !(rules.aliasOfRetiredIsMovedBack && index.retired);
  const searched = find(state, isListed) ?? find(state, ({ role }) => role === 'search');
  if (searched === undefined) return void (state.refilled = true);
  pointAlias(state, searched);
  if (state.indices[searched]?.role !== 'search') promote(state, searched);
}

const operations = (rules: Rules): Record<string, (state: State) => Step[]> => ({
  'the previous index is rolled back to': (state) => {
    const name = previousOf(state);
    return state.indices[name]?.retired ? [] : [(s) => pointAlias(s, name), (s) => promote(s, name)];
  },
  'the previous index is removed': (state) => {
    const name = previousOf(state);
    const retiring: Step[] = rules.retireBeforeDelete ? [(s) => retire(s, name)] : [];
    return [...retiring, (s) => remove(s, name), (s) => recover(s, rules)];
  },
  'the previous index is retired by a job': (state) => [(s) => retire(s, previousOf(state)), () => undefined],
});

/** The steps before the late request, and the request. */
const lateRequests = (rules: Rules): Record<string, { before: Step[]; request: Step }> => ({
  'the alias moves': { before: [], request: (state) => pointAlias(state, 'b') },
  'an index is deleted': {
    before: rules.retireBeforeDelete ? [(state) => retire(state, 'b')] : [],
    request: (state) => {
      const index = state.indices['b'];
      if (index) index.exists = false;
    },
  },
});

/** @returns what goes wrong, in any order */
function faultsUnder(rules: Rules): string[] {
  const faults: string[] = [];
  for (const [late, { before, request }] of Object.entries(lateRequests(rules)))
    for (const [other, plan] of Object.entries(operations(rules)))
      for (let arrival = 0; arrival <= 3; arrival++) {
        const state = start();
        const run = (step: Step): void => {
          step(state);
          write(state);
        };
        before.forEach(run);
        run((s) => recover(s, rules));
        const steps = plan(state);
        [...steps.slice(0, arrival), request, ...steps.slice(arrival)].forEach(run);
        run((s) => recover(s, rules));
        const index = state.indices[state.alias];
        const isRight = !state.refilled && index?.exists === true && index.role === 'search' && !index.lacksChange;
        if (!isRight) faults.push(`${late} late, ${other}`);
      }
  return faults;
}

describe('a late request of a process that has lost the index lock', () => {
  it('leaves a searched index that is complete, whatever the new holder of the lock does', () => {
    expect(faultsUnder(ALL)).toEqual([]);
  });

  it.each(['retireBeforeDelete', 'aliasOfRetiredIsMovedBack'] as const)('needs the rule %s', (rule) => {
    expect(faultsUnder({ ...ALL, [rule]: false })).not.toEqual([]);
  });
});
