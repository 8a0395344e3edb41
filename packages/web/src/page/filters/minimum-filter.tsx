import { showList } from '../location/view.ts';
import { Choice } from './choice.tsx';
import type { MinimumOption } from './minimum-options.ts';
import { t } from '../../messages/texts.ts';

type MinimumFilterProps = {
  legend: string;
  parameter: 'minRating' | 'minDownloads';
  chosen: number;
  options: MinimumOption[];
  isSampled: boolean;
};

export function MinimumFilter({ legend, parameter, chosen, options, isSampled }: MinimumFilterProps) {
  return (
    <fieldset class="filter">
      <legend>{legend}</legend>
      <Choice type="radio" name={parameter} label={t('any')} isChosen={chosen === 0} onChange={() => showList({ [parameter]: 0 })} />
      {options.map(({ minimum, label, count }) => (
        <Choice
          key={minimum}
          type="radio"
          name={parameter}
          label={label}
          count={count}
          isSampled={isSampled}
          isChosen={chosen === minimum}
          onChange={() => showList({ [parameter]: minimum })}
        />
      ))}
    </fieldset>
  );
}
