import { Icon } from '../../shared/icon.tsx';
import { findingsOf, valueOf, type Finding, type Severity } from '../status/findings.ts';
import { formatCount, formatSeconds } from '../status/format.ts';
import type { StatusView } from '../status/use-status.ts';
import { Command } from './command.tsx';

/** What the operator should know first: whether all is well, and if not, what is wrong and what changes it. */
export function Summary({ view }: { view: StatusView }) {
  const findings = view.status ? findingsOf(view.status) : [];
  const shown = view.failedAt ? [unreachable(view.failedAt), ...findings] : findings;
  const worst = shown[0]?.severity;
  return (
    <section class="summary" aria-label="Summary">
      <p class={`headline headline-${worst ?? 'good'}`} role="status">
        <Icon name={worst === 'danger' || worst === 'warning' ? 'warning' : 'check'} />
        {headlineOf(view, worst)}
      </p>
      {shown.length > 0 && (
        <ul class="findings">
          {/* Texts contain times, which change while one reads them. Another command is another button. */}
          {shown.map((finding, position) => (
            <FindingLine key={position} finding={finding} />
          ))}
        </ul>
      )}
    </section>
  );
}

function FindingLine({ finding: { severity, text, command } }: { finding: Finding }) {
  return (
    <li class={`finding finding-${severity}`}>
      <p>{text}</p>
      {command && <Command key={command.line} command={command} />}
    </li>
  );
}

function unreachable(since: Date): Finding {
  return { severity: 'danger', text: `The API has not responded since ${formatSeconds(since.getTime())}. The page tries again by itself.` };
}

const HEADLINES: Record<Severity, string> = {
  danger: 'Somebody is needed now',
  warning: 'Something needs attention',
  info: 'All is well, and work is under way',
};

function headlineOf({ status, failedAt }: StatusView, worst: Severity | undefined): string {
  if (failedAt) return 'The API is not reachable';
  if (!status) return 'Reading the status …';
  if (worst) return HEADLINES[worst];
  const pending = valueOf(status.backlog.now)?.pending ?? 0;
  return pending === 0 ? 'All is well: every change is indexed' : `All is well: ${formatCount(pending, 'change')} to be indexed`;
}
