import { otherDay } from '../location/other-day.ts';
import { showList } from '../location/view.ts';
import { Choice } from './choice.tsx';
import { t } from '../../messages/texts.ts';

const PERIODS = [
  { label: t('pastWeek'), days: 7 },
  { label: t('pastMonth'), days: 30 },
  { label: t('pastYear'), days: 365 },
];

/** The address contains a date, so that a shared link shows the same items tomorrow. */
export function CreatedFilter({ from, to }: { from: string; to: string }) {
  const choose = (createdFrom: string): void => showList({ createdFrom, createdTo: '' });
  return (
    <fieldset class="filter">
      <legend>{t('created')}</legend>
      <Choice type="radio" name="created" label={t('anyTime')} isChosen={from === '' && to === ''} onChange={() => choose('')} />
      {PERIODS.map(({ label, days }) => (
        <Choice
          key={days}
          type="radio"
          name="created"
          label={label}
          isChosen={from === dateBefore(days) && to === ''}
          onChange={() => choose(dateBefore(days))}
        />
      ))}
      <div class="dates">
        <Day label={t('from')} value={from.slice(0, 10)} onChange={(createdFrom) => showList({ createdFrom })} />
        {/* For people, a period includes its last day. */}
        <Day label={t('to')} value={lastDayOf(to)} onChange={(day) => showList({ createdTo: otherDay(day, 1) })} />
      </div>
    </fieldset>
  );
}

/** Browsers report the first digits of a year that is typed as a date of antiquity, and years of six digits. */
const EARLIEST = '1000-01-01';
const LATEST = '9999-12-31';

export function Day({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) {
  const change = (day: string): void => {
    if (day === '' || (day >= EARLIEST && day.length === LATEST.length)) onChange(day);
  };
  return (
    <label>
      {label}
      <input class="input input-small" type="date" max={LATEST} value={value} onChange={(event) => change(event.currentTarget.value)} />
    </label>
  );
}

function lastDayOf(to: string): string {
  return to.length > 10 ? to.slice(0, 10) : otherDay(to, -1);
}

/** The API understands a date as UTC. */
function dateBefore(days: number): string {
  return otherDay(new Date().toISOString().slice(0, 10), -days);
}
