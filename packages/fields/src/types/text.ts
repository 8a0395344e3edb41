import type { Definition } from '../definition.ts';
import { wrongType, type Checked, type FieldType, type Scalar } from '../field-type.ts';
import { problemOfLines, problemOfText } from './texts.ts';

const MAX_CHARACTERS = 2_000;

/** A text that is only searched: no filter, no count, no order. */
export const text: FieldType = {
  check: (value, definition) =>
    typeof value === 'string' ? parse(value, definition) : wrongType('string', `must be a text of at most ${MAX_CHARACTERS} characters`),
  parse,
  schema: () => ({ type: 'string', minLength: 1, maxLength: MAX_CHARACTERS }),
  example: 'a text',
};

function parse(value: string, { many }: Definition): Checked<Scalar> {
  const problem = problemOfText(value, MAX_CHARACTERS) ?? (many ? problemOfLines(value) : undefined);
  return problem ?? { value };
}
