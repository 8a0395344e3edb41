import { showList } from '../location/view.ts';
import { Choice } from './choice.tsx';

const PERIODS = [
  { label: 'Past week', days: 7 },
  { label: 'Past month', days: 30 },
  { label: 'Past year', days: 365 },
];
const DAY_MS = 86_400_000;

/** The address contains a date, so that a shared link shows the same items tomorrow. */
export function CreatedFilter({ chosen }: { chosen: string }) {
  return (
    <fieldset class="filter">
      <legend>Created</legend>
      <Choice type="radio" name="created" label="Any time" isChosen={chosen === ''} onChange={() => showList({ createdFrom: '' })} />
      {PERIODS.map(({ label, days }) => (
        <Choice
          key={days}
          type="radio"
          name="created"
          label={label}
          isChosen={chosen === dateBefore(days)}
          onChange={() => showList({ createdFrom: dateBefore(days) })}
        />
      ))}
    </fieldset>
  );
}

/** The API understands a date as UTC. */
function dateBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}
