import { wrongType, type FieldType } from '../field-type.ts';

const INVALID = wrongType('boolean', 'must be true or false');

export const flag: FieldType = {
  check: (value) => (typeof value === 'boolean' ? { value } : INVALID),
  parse: (text) => (text === 'true' || text === 'false' ? { value: text === 'true' } : INVALID),
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
