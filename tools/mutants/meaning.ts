import type { Mutant } from './mutant.ts';

/** Ranking by meaning: the fused order, the window, the breaker, and the work list of the embeddings. */
export const MEANING_MUTANTS: Mutant[] = [
  {
    file: 'services/api/src/search/meaning/fuse.ts',
    within: 'fuse',
    from: 'MEANING_WEIGHT * Math.min(1, matches.length / FULL_WEIGHT_MATCHES)',
    to: 'MEANING_WEIGHT',
    why: 'the meaning outweighs the words of a known item among few matches',
    test: 'unit/semantic',
  },
  {
    file: 'services/api/src/search/meaning/fuse.ts',
    within: 'fuse',
    from: 'other.bonus - one.bonus || ',
    to: '',
    why: 'the item whose name is the prompt is not the first',
    test: 'unit/semantic',
  },
  {
    file: 'services/api/src/search/meaning/fuse.ts',
    within: 'fuse',
    from: 'Math.max(score - bonus, 0)',
    to: 'score',
    why: 'beside an item with the exact name, the words of all others count nothing',
    test: 'unit/semantic',
  },
  {
    file: 'services/api/src/search/meaning/read-ranked-page.ts',
    within: 'readWindow',
    from: '...byWords.slice(WINDOW)',
    to: '',
    why: 'a page across the border of the window lacks items',
    test: 'api/semantic',
  },
  {
    file: 'services/api/src/search/meaning/read-ranked-page.ts',
    within: 'readWindow',
    from: 'Math.max(WINDOW, from + size)',
    to: 'from + size',
    why: 'pages of one list are of different orders, and repeat items',
    test: 'api/semantic',
  },
  {
    file: 'packages/shared/src/timing/breaker.ts',
    within: 'Breaker',
    from: 'failed.openUntilMs = this.#now() + this.#options.openMs;',
    to: '{}',
    why: 'every list waits for a service that hangs',
    test: 'unit/semantic',
  },
  {
    file: 'services/indexer/src/embeddings/store-vectors.ts',
    within: 'storeVectors',
    from: ' and c.text_hash = m.text_hash',
    to: '',
    why: 'the vector of an older text replaces that of an edit during the request',
    test: 'pipeline/embedding-work',
  },
  {
    file: 'services/api/src/content/edit-content.ts',
    within: 'editContent',
    from: 'await addEmbeddingWork(tx, before.contentId);',
    to: '{}',
    why: 'an edited item is ranked by the meaning of its former text',
    test: 'api/semantic',
  },
];
