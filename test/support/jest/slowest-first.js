import Sequencer from '@jest/test-sequencer';

/**
 * The test files that take longest, slowest first, and tests of faults, which mostly wait, beside others. A name that is
 * missing here costs time and nothing else.
 */
const SLOWEST = [
  'relevance/word-forms',
  'faults/autoscaling',
  'faults/elasticsearch',
  'pipeline/mapping-upgrade',
  'faults/upgrade',
  'faults/delivery',
  'faults/nemesis',
  'browser/page',
  'relevance/typed-prompts',
  'relevance/similar',
  'environments/tls',
  'environments/redis-servers',
  'environments/shared-cluster',
  'environments/index-settings',
  'faults/backlog',
  'pipeline/rebuild',
  'faults/redis',
  'pipeline/start',
  'faults/indexer-process',
  'faults/postgres',
  'browser/operations',
  'browser/docs',
  'pipeline/backup',
  'faults/api-process',
];

/**
 * Starts the slowest files first, so that no worker runs one of them alone at the end. On a fresh clone, Jest knows only
 * the sizes of the files.
 */
export default class SlowestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ path }) {
  const position = SLOWEST.findIndex((name) => path.endsWith(`/${name}.test.ts`));
  return position === -1 ? SLOWEST.length : position;
}
