import { createStore } from '../../shared/store.ts';

/** The most frequent tags of the list that is shown, which the filters count and the front shows, too. */
export const shownTags = createStore<string[]>([]);
