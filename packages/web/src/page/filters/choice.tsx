import { formatNumber } from '../../shared/format.ts';

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
};

export function Choice({ type, name, label, isChosen, onChange, count }: ChoiceProps) {
  return (
    <label class="choice">
      <input type={type} name={name} checked={isChosen} onChange={onChange} />
      <span class="choice-label" dir="auto">
        {label}
      </span>
      {count !== undefined && (
        <span class="choice-count">
          {formatNumber(count)}
          <span class="visually-hidden"> items</span>
        </span>
      )}
    </label>
  );
}
