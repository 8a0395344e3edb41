import type { FieldType } from '../field-type.ts';

const RULE = 'must be true or false';

export const flag: FieldType = {
  check: (value) => (typeof value === 'boolean' ? { value } : { detail: RULE }),
  parse: (text) => (text === 'true' || text === 'false' ? { value: text === 'true' } : { detail: RULE }),
  schema: () => ({ type: 'boolean' }),
  example: 'true',
  index: {
    // Elasticsearch shows the values of a boolean as numbers in some responses, and as texts in others.
    property: { type: 'keyword' },
    key: String,
    term: String,
    shown: String,
    shownTerm: String,
  },
};
