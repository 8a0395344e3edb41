import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import './styles/button.css';

type Kind = 'primary' | 'plain' | 'danger' | 'link';
type ButtonProps = {
  children: ComponentChildren;
  onClick?: () => void;
  kind?: Kind;
  icon?: IconName;
  type?: 'button' | 'submit';
  isBusy?: boolean;
  /** Set by a button that shows and hides something. */
  isExpanded?: boolean;
};

/** A busy button keeps the focus, so it is not `disabled`: it ignores clicks. */
export function Button({ children, onClick, kind = 'plain', icon, type = 'button', isBusy = false, isExpanded }: ButtonProps) {
  return (
    <button
      type={type}
      class={`button button-${kind}`}
      aria-disabled={isBusy || undefined}
      aria-expanded={isExpanded}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export function IconButton({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return (
    <button type="button" class="button button-icon" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
