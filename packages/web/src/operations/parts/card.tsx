import type { Part } from '@ugc/shared/contracts/operations-status';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { CommandLine } from '../status/commands.ts';
import { Commands } from './command.tsx';

type CardProps = { title: string; commands?: CommandLine[]; children: ComponentChildren };

/** A figure or list, and the commands that change it. */
export function Card({ title, commands = [], children }: CardProps) {
  const titleId = useId();
  return (
    <section class="card" aria-labelledby={titleId}>
      <h2 id={titleId}>{title}</h2>
      {children}
      {commands.length > 0 && <Commands commands={commands} />}
    </section>
  );
}

type PartOfProps<T> = { part: Part<T>; children: (value: T) => ComponentChildren };

/** The value of the part, or why it could not be read. */
export function PartOf<T>({ part, children }: PartOfProps<T>) {
  if ('problem' in part) return <p class="problem">{part.problem}</p>;
  return <>{children(part.value)}</>;
}

export type Figure = { label: string; value: string };

export function Figures({ figures }: { figures: Figure[] }) {
  return (
    <dl class="figures">
      {figures.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
