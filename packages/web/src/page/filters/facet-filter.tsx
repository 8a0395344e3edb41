import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { View } from '../location/query-string.ts';
import { showList } from '../location/view.ts';
import { Choice, ChoiceSkeletons } from './choice.tsx';
import { toggled } from './toggled.ts';
import { t } from '../../messages/texts.ts';

/** The parameters of the values that an item must have, and of those that it must not have. */
const PARAMETERS = { tags: 'excludeTags', creatorId: 'excludeCreatorId' } as const;

/** A value is either chosen or excluded, or neither. `name`: that of the inputs. */
export type Choices<T> = { name: string; chosen: T[]; excluded: T[]; choose: (value: T) => void; exclude: (value: T) => void };

type FacetFilterProps<T> = {
  legend: string;
  choices: Choices<T>;
  /** Shown before all others, also without items. */
  first?: T[];
  /** Values with their counts, the most frequent first; undefined while they are not known. */
  found: { value: T; count: number }[] | undefined;
  /** Whether the counts are estimated. */
  isSampled: boolean;
  /** Whether items have values that were not found. */
  hasMore: boolean;
  labelOf: (value: T) => string;
  /** The number of values that are shown without "More". */
  shown: number;
  children?: ComponentChildren;
};

/** A chosen or excluded value stays, even if no match has it. */
export function FacetFilter<T extends string | number>(props: FacetFilterProps<T>) {
  const { legend, choices, first = [], found, isSampled, hasMore, labelOf, shown, children } = props;
  const [isAll, setAll] = useState(false);
  const { name, chosen, excluded, choose, exclude } = choices;
  const fixed = [...new Set([...first, ...chosen, ...excluded])];
  const others = (found ?? []).map(({ value }) => value).filter((value) => !fixed.includes(value));
  const more = isAll ? t('fewer') : t('more');
  return (
    <fieldset class="filter">
      <legend>{legend}</legend>
      {children}
      {[...fixed, ...others.slice(0, isAll ? undefined : shown)].map((value) => (
        <Choice
          key={value}
          type="checkbox"
          name={name}
          label={labelOf(value)}
          count={found?.find((one) => one.value === value)?.count}
          isSampled={isSampled}
          isChosen={chosen.includes(value)}
          onChange={() => choose(value)}
          isExcluded={excluded.includes(value)}
          onExclude={() => exclude(value)}
        />
      ))}
      {isAll && hasMore && <p class="muted">{t('mostFrequent')}</p>}
      {!found && <ChoiceSkeletons count={shown} />}
      {others.length > shown && (
        <button type="button" class="button button-link" aria-label={t('moreOf', { more, what: legend })} onClick={() => setAll(!isAll)}>
          {more}
        </button>
      )}
    </fieldset>
  );
}

export function choicesOf<T extends string | number>(view: View, parameter: keyof typeof PARAMETERS): Choices<T> {
  const opposite = PARAMETERS[parameter];
  const chosen = view[parameter] as T[];
  const excluded = view[opposite] as T[];
  return {
    name: parameter,
    chosen,
    excluded,
    choose: (value) => showList({ [parameter]: toggled(chosen, value), [opposite]: without(excluded, value) }),
    exclude: (value) => showList({ [parameter]: without(chosen, value), [opposite]: toggled(excluded, value) }),
  };
}

function without<T>(values: T[], value: T): T[] {
  return values.filter((other) => other !== value);
}
