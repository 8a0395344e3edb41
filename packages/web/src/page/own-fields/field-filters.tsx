import { useEffect, useId, useState } from 'preact/hooks';
import type { DeclaredField } from '@ugc/shared/contracts/declared-field';
import { Day } from '../filters/created-filter.tsx';
import { FacetFilter, type Choices } from '../filters/facet-filter.tsx';
import { toggled } from '../filters/toggled.ts';
import { matchesOf } from '../api/counted.ts';
import { useQuery } from '../api/use-query.ts';
import { numberText, toNumber } from '../form/field-draft.ts';
import { describeValue, endsOf, hasEnds, readCondition, type Ends } from '../location/conditions.ts';
import type { View } from '../location/query-string.ts';
import { showList } from '../location/view.ts';
import { countedPaths, declaredFields, labelOf } from '../location/declared-fields.ts';
import { t } from '../../messages/texts.ts';
import { countFurther, type FieldFacets } from './further-counts.ts';

/**
 * `facets`: of the fields of the first request; undefined while they are not known. `isEmpty`: whether the list is, so that
 * only what narrows it is shown. `isSampled`: whether the counts of a facet are estimated.
 */
type FieldFiltersProps = { view: View; facets: FieldFacets | undefined; isEmpty: boolean; isSampled: (facet: string) => boolean };

/** A filter for each declared field: choices with counts, or the two ends of a range. */
export function FieldFilters({ view, facets, isEmpty, isSampled }: FieldFiltersProps) {
  const further = useQuery(matchesOf(view), (signal) => countFurther(view, signal));
  const counted: FieldFacets = { ...further.data?.facets, ...facets };
  const isComplete = facets !== undefined && (further.data ?? further.error) !== undefined;
  const isShown = (path: string): boolean =>
    !isEmpty || [...view.where, ...view.whereNot].some((condition) => readCondition(condition).path === path);
  const countsOf = (path: string) => {
    const isEstimated = isSampled(`fields.${path}`) || further.data?.sampled[`fields.${path}`] !== undefined;
    return { facet: counted[path], isKnown: isComplete || counted[path] !== undefined, isSampled: isEstimated };
  };
  return (
    <>
      {declaredFields.map((field) => (
        <>
          {countedPaths(field)
            .filter(isShown)
            .map((path) => (
              <ChoiceFilter key={path} path={path} view={view} {...countsOf(path)} />
            ))}
          {isRange(field) && isShown(field.name) && <RangeFilter key={field.name} field={field} view={view} />}
        </>
      ))}
    </>
  );
}

function isRange({ type, facet }: DeclaredField): boolean {
  return (type === 'number' || type === 'date') && !facet;
}

type ChoiceFilterProps = { path: string; view: View; facet: FieldFacets[string] | undefined; isKnown: boolean; isSampled: boolean };

/** A field has no values if no match has one, and none that are known until the index is rebuilt for it. */
function ChoiceFilter({ path, view, facet, isKnown, isSampled }: ChoiceFilterProps) {
  const { values = [], other = 0 } = facet ?? {};
  const choices = choicesOf(view, path);
  if (isKnown && [...values, ...choices.chosen, ...choices.excluded].length === 0) return null;
  return (
    <FacetFilter
      legend={labelOf(path)}
      choices={choices}
      found={isKnown ? values : undefined}
      isSampled={isSampled}
      hasMore={other > 0}
      labelOf={(value) => describeValue(path, value)}
      shown={6}
    />
  );
}

function choicesOf(view: View, path: string): Choices<string> {
  const conditionOf = (value: string): string => `${path}:${value}`;
  const valuesIn = (conditions: string[]): string[] =>
    conditions.map(readCondition).flatMap((condition) => (condition.path === path ? [condition.value] : []));
  const without = (conditions: string[], value: string): string[] => conditions.filter((condition) => condition !== conditionOf(value));
  return {
    name: `where ${path}`,
    chosen: valuesIn(view.where),
    excluded: valuesIn(view.whereNot),
    choose: (value) => showList({ where: toggled(view.where, conditionOf(value)), whereNot: without(view.whereNot, value) }),
    exclude: (value) => showList({ where: without(view.where, value), whereNot: toggled(view.whereNot, conditionOf(value)) }),
  };
}

function RangeFilter({ field: { name, type, label }, view }: { field: DeclaredField; view: View }) {
  const isEnd = (condition: string): boolean => readCondition(condition).path === name && hasEnds(readCondition(condition).value);
  const ends = endsOf(view.where.filter(isEnd).map((condition) => readCondition(condition).value));
  const change = (changed: Partial<Ends>): void => {
    const { from, to } = { ...ends, ...changed };
    const range = [...(from === '' ? [] : [`${name}:>=${from}`]), ...(to === '' ? [] : [`${name}:<=${to}`])];
    showList({ where: [...view.where.filter((condition) => !isEnd(condition)), ...range] });
  };
  const End = type === 'date' ? Day : NumberEnd;
  return (
    <fieldset class="filter">
      <legend>{label}</legend>
      <div class="dates">
        <End label={t('from')} value={ends.from} onChange={(from) => change({ from })} />
        <End label={t('to')} value={ends.to} onChange={(to) => change({ to })} />
      </div>
    </fieldset>
  );
}

function NumberEnd({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const id = useId();
  const [refused, setRefused] = useState<string>();
  const change = (text: string): void => {
    const number = toNumber(text);
    const isRight = text === '' || number !== undefined;
    setRefused(isRight ? undefined : text);
    if (isRight) onChange(text === '' ? '' : String(number));
  };
  // Another range, such as that of a chip that is removed, takes the place of what was refused.
  useEffect(() => setRefused(undefined), [value]);
  return (
    <div>
      <label>
        {label}
        <input
          class="input input-small"
          inputMode="decimal"
          value={refused ?? numberText(value)}
          aria-invalid={refused !== undefined}
          aria-describedby={id}
          onChange={(event) => change(event.currentTarget.value.trim())}
        />
      </label>
      <span id={id} role="alert" class="error">
        {refused !== undefined && t('faultNumber')}
      </span>
    </div>
  );
}
