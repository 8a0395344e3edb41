import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';

/** Shows what somebody wrote. If that fails, only this part is missing: the buttons and the other items stay. */
export function Part({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary((thrown) => reportError(thrown));
  return error === undefined ? <>{children}</> : <p class="error">This part cannot be shown.</p>;
}
