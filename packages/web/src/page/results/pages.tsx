import type { ComponentChildren } from 'preact';
import { formatNumber } from '../../messages/format.ts';
import { Icon } from '../../shared/icon.tsx';
import type { View } from '../location/query-string.ts';
import { linkTo } from '../location/view.ts';
import { pageNumbers } from './page-numbers.ts';
import { t } from '../../messages/texts.ts';

/** @param count the number of pages; undefined if only the next one is known, unless the page is the last */
export function Pages({ view, count: counted, isLast }: { view: View; count: number | undefined; isLast: boolean }) {
  const { page } = view;
  const count = counted ?? (isLast ? 0 : page + 2);
  if (count < 2) return null;
  return (
    <nav class="pages" aria-label={t('pages')}>
      {page > 0 && (
        <PageLink view={view} page={Math.min(page, count) - 1} label={t('previousPage')}>
          <Icon name="previous" />
        </PageLink>
      )}
      {pageNumbers(page, count).map((number, position) =>
        number === undefined ? (
          <span key={`gap ${position}`}>…</span>
        ) : (
          <PageLink key={number} view={view} page={number} label={t('page', { n: number + 1 })}>
            {formatNumber(number + 1)}
          </PageLink>
        ),
      )}
      {counted === undefined && <span class="pages-uncounted">…</span>}
      {page < count - 1 && (
        <PageLink view={view} page={page + 1} label={t('nextPage')}>
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
