import Sequencer from '@jest/test-sequencer';

/** The test files that take longest, slowest first. A name that is missing here costs time and nothing else. */
const SLOWEST = [
  'faults/elasticsearch',
  'faults/delivery',
  'faults/redis',
  'faults/backlog',
  'faults/nemesis',
  'faults/indexer-process',
  'browser/page',
  'pipeline/rebuild',
  'api/deep-pages',
  'pipeline/mapping-upgrade',
  'browser/operations',
  'api/operations',
  'browser/docs',
  'pipeline/start',
  'relevance/relevance',
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
