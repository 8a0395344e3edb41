import type { ContentSummaryPage } from '../api/types.ts';
import type { View } from '../location/query-string.ts';
import { follow, hrefOf } from '../location/view.ts';

/** How the prompt was understood, if not as it was written. */
export function PromptNote({ view, page }: { view: View; page: ContentSummaryPage }) {
  const { corrected = [], split = [], missing: unknown = [] } = page.interpretation ?? {};
  const changes = [...corrected, ...split];
  // Without any match, the list says so itself.
  const missing = page.totalElements > 0 ? unknown : [];
  const asWritten = { correct: false, page: 0 };
  if (changes.length === 0 && missing.length === 0) return null;
  return (
    <p class="note">
      {changes.map(({ from, to }) => (
        <span key={from}>
          Showing <strong>{to}</strong> instead of “{from}”.{' '}
        </span>
      ))}
      {changes.length > 0 && (
        <a href={hrefOf({ ...view, ...asWritten })} onClick={(event) => follow(event, asWritten)}>
          Search for it as written
        </a>
      )}
      {missing.length > 0 && <span> No item contains {missing.map((word) => `“${word}”`).join(', ')}.</span>}
    </p>
  );
}
