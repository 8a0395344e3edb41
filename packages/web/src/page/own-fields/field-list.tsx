import type { DeclaredField } from '@ugc/shared/contracts/declared-field';
import { describeValue } from '../location/conditions.ts';
import { EVERYTHING } from '../location/query-string.ts';
import { linkTo } from '../location/view.ts';
import { declaredFields, typeAt } from '../location/declared-fields.ts';
import { plainText } from '../form/field-draft.ts';

type Values = Record<string, unknown>;

/** The values of an item, each of which leads to the items that have it too. */
export function FieldList({ values }: { values: Values }) {
  const shown = declaredFields.filter(({ name }) => values[name] !== undefined);
  if (shown.length === 0) return null;
  return (
    <dl class="own-fields">
      {shown.map((field) => (
        <div key={field.name}>
          <dt dir="auto">{field.label}</dt>
          <dd>
            {[values[field.name]].flat().map((value, at) => (
              <FieldValue key={at} field={field} value={value} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

type FieldValueProps = { field: DeclaredField; value: unknown };

/** No filter finds a text. */
function FieldValue({ field: { name, type, of = {} }, value }: FieldValueProps) {
  if (type === 'text') return <p dir="auto">{plainText(value)}</p>;
  const parts =
    type === 'group'
      ? Object.keys(of).map((part) => [`${name}.${part}`, String((value as Values)[part])] as const)
      : [[name, String(value)] as const];
  return (
    <a class="chip" dir="auto" {...linkTo({ ...EVERYTHING, where: parts.map(([path, text]) => `${path}:${asCounted(path, text)}`) })}>
      {parts.map(([path, text]) => describeValue(path, text)).join(', ')}
    </a>
  );
}

/** The filters show versions without the v that does not count. */
function asCounted(path: string, text: string): string {
  return typeAt(path) === 'version' ? text.replace(/^v(?=\d)/i, '') : text;
}
