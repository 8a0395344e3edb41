import type { ComponentChildren } from 'preact';
import { Icon } from '../../shared/icon.tsx';
import type { View } from '../location/query-string.ts';
import { linkTo } from '../location/view.ts';
import { pageNumbers } from './page-numbers.ts';

/** @param count the number of pages */
export function Pages({ view, count }: { view: View; count: number }) {
  if (count < 2) return null;
  const { page } = view;
  return (
    <nav class="pages" aria-label="Pages">
      {page > 0 && (
        <PageLink view={view} page={Math.min(page, count) - 1} label="Previous page">
          <Icon name="previous" />
        </PageLink>
      )}
      {pageNumbers(page, count).map((number, position) =>
        number === undefined ? (
          <span key={`gap ${position}`}>…</span>
        ) : (
          <PageLink key={number} view={view} page={number} label={`Page ${number + 1}`}>
            {number + 1}
          </PageLink>
        ),
      )}
      {page < count - 1 && (
        <PageLink view={view} page={page + 1} label="Next page">
          <Icon name="next" />
        </PageLink>
      )}
    </nav>
  );
}

type PageLinkProps = { view: View; page: number; label: string; children: ComponentChildren };

function PageLink({ view, page, label, children }: PageLinkProps) {
  return (
    <a {...linkTo({ ...view, page })} aria-label={label} aria-current={page === view.page ? 'page' : undefined}>
      {children}
    </a>
  );
}
