type State = {
  next: Map<string, State>;
  /** The state of the longest proper suffix that is also the beginning of a phrase. */
  fallback: State | undefined;
  /** The number of terms of the longest phrase that ends here, or 0. */
  length: number;
};

/**
 * Finds phrases in a sequence of terms, in time in proportion to the number of terms, whatever the phrases are.
 * Algorithm: Aho and Corasick, "Efficient string matching: an aid to bibliographic search", CACM 18 (1975).
 */
export class PhraseMatcher {
  readonly #root: State = { next: new Map(), fallback: undefined, length: 0 };

  constructor(phrases: string[][]) {
    for (const phrase of phrases) this.#add(phrase);
    this.#linkFallbacks();
  }

  /** @returns for each term, the number of terms of the longest phrase that ends with it, or 0 */
  match(terms: string[]): number[] {
    let state = this.#root;
    return terms.map((term) => (state = this.#follow(state, term)).length);
  }

  #add(phrase: string[]): void {
    let state = this.#root;
    for (const term of phrase) {
      const next = state.next.get(term) ?? { next: new Map<string, State>(), fallback: this.#root, length: 0 };
      state.next.set(term, next);
      state = next;
    }
    state.length = phrase.length;
  }

  // Breadth first, so that the shorter suffixes are linked before.
  #linkFallbacks(): void {
    const queue = [...this.#root.next.values()];
    for (const state of queue) {
      for (const [term, next] of state.next) {
        next.fallback = this.#follow(state.fallback ?? this.#root, term);
        queue.push(next);
      }
      state.length ||= state.fallback?.length ?? 0;
    }
  }

  #follow(from: State, term: string): State {
    let state: State | undefined = from;
    while (state && !state.next.has(term)) state = state.fallback;
    return state?.next.get(term) ?? this.#root;
  }
}
