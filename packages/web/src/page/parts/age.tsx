import { formatAge, formatDateTime } from '../../messages/format.ts';

/** How long ago something was. */
export function Age({ time }: { time: string }) {
  return (
    <time dateTime={time} title={formatDateTime(time)}>
      {formatAge(time)}
    </time>
  );
}
