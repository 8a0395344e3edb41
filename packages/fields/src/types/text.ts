import type { FieldType } from '../field-type.ts';
import { problemOfText } from './texts.ts';

const MAX_CHARACTERS = 2_000;

/** A text that is only searched: no filter, no count, no order. */
export const text: FieldType = {
  check: (value) => (typeof value === 'string' ? parse(value) : { detail: `must be a text of at most ${MAX_CHARACTERS} characters` }),
  parse,
  schema: () => ({ type: 'string', minLength: 1, maxLength: MAX_CHARACTERS }),
  example: 'a text',
};

function parse(value: string) {
  const problem = problemOfText(value, MAX_CHARACTERS);
  return problem === undefined ? { value } : { detail: problem };
}
