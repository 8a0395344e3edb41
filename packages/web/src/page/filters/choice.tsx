import { Icon } from '../../shared/icon.tsx';
import { formatNumber, roundRoughly } from '../../messages/format.ts';
import { t } from '../../messages/texts.ts';

/** Keeps the place of choices that are not known yet. */
export function ChoiceSkeletons({ count }: { count: number }) {
  return Array.from({ length: count }, (_, position) => <div key={position} class="choice-skeleton" aria-hidden="true" />);
}

type ChoiceProps = {
  type: 'checkbox' | 'radio';
  name: string;
  label: string;
  isChosen: boolean;
  onChange: () => void;
  /** The number of items with this value; undefined if it is not known. */
  count?: number | undefined;
  /** Whether the number is estimated. */
  isSampled?: boolean;
  isExcluded?: boolean;
  /** Chooses the items without this value. */
  onExclude?: () => void;
};

export function Choice({ onExclude, ...choice }: ChoiceProps) {
  if (!onExclude) return <ChoiceLabel {...choice} />;
  const without = t('without', { value: choice.label });
  return (
    <div class={choice.isExcluded ? 'choice-row choice-excluded' : 'choice-row'}>
      <ChoiceLabel {...choice} />
      <button type="button" aria-label={without} title={without} aria-pressed={choice.isExcluded} onClick={onExclude}>
        <Icon name="without" />
      </button>
    </div>
  );
}

function ChoiceLabel({ type, name, label, isChosen, onChange, count, isSampled = false }: ChoiceProps) {
  // An estimate of 0 does not say that there are none.
  const isSaid = count !== undefined && !(isSampled && count === 0);
  return (
    <label class="choice">
      <input type={type} name={name} checked={isChosen} onChange={onChange} />
      <span class="choice-label" dir="auto">
        {label}
      </span>
      {isSaid && <Count n={isSampled ? roundRoughly(count) : count} isSampled={isSampled} />}
    </label>
  );
}

function Count({ n, isSampled }: { n: number; isSampled: boolean }) {
  const said = (what: string): string => (isSampled ? t('about', { what }) : what);
  return (
    <span class="choice-count">
      <span aria-hidden="true">{said(formatNumber(n))}</span>
      <span class="visually-hidden">{said(t('items', { n }))}</span>
    </span>
  );
}
