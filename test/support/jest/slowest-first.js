import Sequencer from '@jest/test-sequencer';

/**
 * The test files that take longest, slowest first, and tests of faults, which mostly wait, beside others. A name that is
 * missing here costs time and nothing else.
 */
const SLOWEST = [
  'relevance/word-forms',
  'faults/elasticsearch',
  'pipeline/mapping-upgrade',
  'faults/delivery',
  'browser/page-item',
  'browser/page-use',
  'browser/page-search',
  'browser/page-upload',
  'browser/page-visitor',
  'browser/page-outage',
  'environments/refusing-stores',
  'environments/index-settings',
  'pipeline/rebuild',
  'pipeline/start',
  'environments/load-balancer',
  'faults/backlog',
  'pipeline/rejected-items',
  'faults/upgrade',
  'faults/redis',
  'faults/postgres',
  'environments/shared-cluster',
  'environments/redis-servers',
  'faults/autoscaling',
  'faults/indexer-process',
  'pipeline/backup',
  'faults/nemesis',
  'browser/operations',
  'environments/sentinels',
  'browser/docs',
  'browser/sign-in',
  'pipeline/fill',
  'environments/tls',
  'environments/restored-stores',
  'faults/elasticsearch-nodes',
  'relevance/typed-prompts',
  'relevance/similar',
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
