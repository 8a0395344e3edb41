import type { SearchedIndex } from './searched-index.ts';

/** What a query can use of an index, by its mapping version. */
export type MappingFeatures = {
  /**
   * The fields of the words and their weights; `combined_fields` scores them as one field, with common term statistics.
   * The names of all other searched fields are the same in every version.
   */
  words: string[];
  /** The indexed text is the result of `foldText`, so the searched text must be, too. */
  isFolded: boolean;
  /** There is a field `literals`. */
  hasLiterals: boolean;
  /** There is a field `nameKey`. */
  hasNameKey: boolean;
  /** The pairs of adjacent words are terms (`index_phrases` of the field `words`). */
  hasPairs: boolean;
};

const VERSION_2: MappingFeatures = {
  words: ['name^2', 'tags^1.7', 'description^1.3', 'creatorName^1'],
  isFolded: false,
  hasLiterals: false,
  hasNameKey: false,
  hasPairs: false,
};

const VERSION_3: MappingFeatures = {
  words: ['folded.name^2', 'folded.tags^1.7', 'folded.description^1.3', 'folded.creatorName^1'],
  isFolded: true,
  hasLiterals: true,
  hasNameKey: true,
  hasPairs: true,
};

/** A version that is newer than the last one is searched like that one: its searches work, or fail, but never show a part. */
export function mappingFeatures({ mappingVersion }: Pick<SearchedIndex, 'mappingVersion'>): MappingFeatures {
  return mappingVersion >= 3 ? VERSION_3 : VERSION_2;
}
