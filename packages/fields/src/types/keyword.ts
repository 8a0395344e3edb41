import { wrongType, type Checked, type FieldType, type Scalar } from '../field-type.ts';
import type { Definition } from '../definition.ts';
import { composeUpTo, problemOfLines, problemOfText } from './texts.ts';

/** A tag has 64 by default. */
export const KEYWORD_MAX_CHARACTERS = 100;
const RULE = `must be a text of at most ${KEYWORD_MAX_CHARACTERS} characters`;
const SHOWN_VALUES = 10;

const exact = { type: 'keyword' } as const;

/** A text that is compared whole, as tags are: no sign in it is an operator. */
export const keyword: FieldType = {
  check: (value, definition) =>
    typeof value === 'string' ? parse(value, definition) : wrongType('string', `${RULE}, such as "${exampleOf(definition)}"`),
  parse,
  schema: ({ values }) => ({ type: 'string', minLength: 1, maxLength: KEYWORD_MAX_CHARACTERS, ...(values && { enum: values }) }),
  example: 'MIT',
  index: {
    property: exact,
    key: String,
    term: String,
    order: { property: { ...exact, index: false }, key: (value, fold) => fold(String(value)) },
    shown: String,
    shownTerm: String,
  },
};

function parse(text: string, { values }: Definition): Checked<Scalar> {
  const value = composeUpTo(text, KEYWORD_MAX_CHARACTERS);
  const problem = problemOfText(value, KEYWORD_MAX_CHARACTERS) ?? problemOfLines(value);
  if (problem) return problem;
  if (!values || values.includes(value)) return { value };
  return { detail: `must be ${listOf(values)}`, code: 'not-one-of', values: { allowed: values.join(', ') } };
}

function exampleOf({ values }: Definition): string {
  return values?.[0] ?? keyword.example;
}

function listOf(values: string[]): string {
  const shown = values.slice(0, SHOWN_VALUES).map((value) => JSON.stringify(value));
  const others = values.length - shown.length;
  return others > 0 ? `${shown.join(', ')} or one of ${others} others` : shown.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}
