import type { DeclaredField } from '@ugc/shared/contracts/declared-field';
import { describeValue } from '../location/conditions.ts';
import { EVERYTHING } from '../location/query-string.ts';
import { linkTo } from '../location/view.ts';
import { declaredFields } from '../location/declared-fields.ts';

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

function FieldValue({ field: { name, type, of = {} }, value }: { field: DeclaredField; value: unknown }) {
  if (type === 'text') return <p dir="auto">{String(value)}</p>;
  const parts =
    type === 'group'
      ? Object.keys(of).map((part) => [`${name}.${part}`, String((value as Values)[part])] as const)
      : [[name, String(value)] as const];
  return (
    <a class="chip" dir="auto" {...linkTo({ ...EVERYTHING, where: parts.map(([path, text]) => `${path}:${text}`) })}>
      {parts.map(([path, text]) => describeValue(path, text)).join(', ')}
    </a>
  );
}
