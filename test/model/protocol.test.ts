import { expect, test } from '@jest/globals';
import { RULES, type Rule } from './rules.ts';
import { run, SCENARIOS, type Scenario } from './run.ts';
import { runs } from '../support/jest/long.ts';

const RUNS = runs(40, 100);

/** Each rule has a scenario and a seed that break a guarantee without it. A change of the model needs other seeds. */
const NEEDED: Partial<Record<Rule, [Scenario, number]>> = {
  'one-statement': ['lock', 2],
  'search-last': ['crowd', 21],
  generation: ['pipeline', 62],
  'rollback-waits': ['lock', 4],
  'restore-generation': ['restore', 1060],
  identity: ['copies', 1],
  watch: ['copies', 1],
  'fresh-beat': ['copies', 48],
  'conditional-claim': ['restore', 29],
  'watch-writes': ['everything', 3],
  lease: ['restore', 75],
  recheck: ['restore', 2],
  'split-ownership': ['everything', 4],
  'own-alias': ['restore', 59],
  'own-name': ['everything', 33],
  'take-over-unlisted': ['restore', 2],
  'removed-claim': ['restore', 11],
  'retry-remembered': ['everything', 10],
  'compare-after-conflict': ['restore', 1],
  'versions-first': ['lock', 122],
  'compare-contents': ['restore', 48],
  comparison: ['restore', 3],
  'hidden-first': ['hidden', 1],
  'keep-hidden': ['hidden', 2],
  'leave-drafts': ['drafts', 1],
  withhold: ['restored-index', 3],
  'withheld-first': ['restored-index', 3],
  'notice-generation': ['restored-index', 2730],
};

/** No run has been found that needs it: other rules cover it. */
const DOUBLED: Rule[] = [
  'keep-searched',
  'fill-next',
  'delete-again',
  'acknowledge-own-job',
  'lock-token',
  'unlist-first',
  'recover-first',
];

test.each(Object.keys(SCENARIOS) as Scenario[])('The protocol keeps its guarantees in random runs of the scenario "%s".', (scenario) => {
  for (let seed = 1; seed <= RUNS; seed++) expect(run(seed, { scenario })).toBeUndefined();
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
