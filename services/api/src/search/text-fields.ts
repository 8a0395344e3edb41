import type { SearchedIndex } from './index-lookup.ts';
import type { Query } from './elasticsearch-types.ts';
import { textRulesOf, type TextRules } from '@ugc/shared/search-text/text-rules';

/** What the API searches in an index, by the version of its mapping. */
export type TextFields = {
  /** The text fields, in older indices with their weights; all have the same analyzer. */
  text: string[];
  /** They fold the indexed texts and separate them into terms. */
  rules: TextRules;
  /** Whether the index has the fields `literals` and `nameKey`. */
  hasLiterals: boolean;
  /** The field with the words of names, not stemmed; undefined in older indices. */
  nameWords: string | undefined;
  /** The weight of two adjacent words. Without `index_phrases`, common pairs are more expensive and count less. */
  pairBoost: number;
};

const VERSION_2: TextFields = {
  text: ['name^2', 'tags^2', 'description', 'creatorName'],
  rules: { ...textRulesOf(2), fold: (text) => text.normalize('NFC').toLowerCase(), separate: (folded) => folded },
  hasLiterals: false,
  nameWords: undefined,
  pairBoost: 0.15,
};
const VERSION_3: TextFields = {
  text: ['folded.name^2', 'folded.tags^2', 'folded.description', 'folded.creatorName'],
  rules: textRulesOf(3),
  hasLiterals: true,
  nameWords: undefined,
  pairBoost: 0.3,
};
const VERSION_4: TextFields = { ...VERSION_3, nameWords: 'folded.name.words' };
const VERSION_5: TextFields = { ...VERSION_4, text: ['text'] };
const VERSION_6: TextFields = { ...VERSION_5, rules: textRulesOf(6) };

/** Newer versions than the last one are searched as the last one. */
export function textFieldsOf({ mappingVersion }: Pick<SearchedIndex, 'mappingVersion'>): TextFields {
  return [VERSION_2, VERSION_3, VERSION_4, VERSION_5][Math.max(mappingVersion, 2) - 2] ?? VERSION_6;
}

/**
 * Matches every term of the text in any of the fields. `combined_fields` scores several fields as one, with common term
 * statistics.
 */
export function textQuery(text: string, fields: string[], boost = 1): Query {
  const [field = '', ...others] = fields;
  return others.length === 0
    ? { match: { [field]: { query: text, operator: 'and', boost } } }
    : { combined_fields: { query: text, fields, operator: 'and', boost } };
}

/** Do not pass it to `map`, which would pass the position as the boost. */
export function phraseQuery(text: string, boost = 1): Query {
  return { match_phrase: { words: { query: text, boost } } };
}
