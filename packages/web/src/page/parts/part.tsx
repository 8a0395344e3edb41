import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { t } from '../../messages/texts.ts';

/** Shows what somebody wrote. If that fails, only this part is missing: the buttons and the other items stay. */
export function Part({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary((thrown) => reportError(thrown));
  return error === undefined ? <>{children}</> : <p class="error">{t('notShown')}</p>;
}
