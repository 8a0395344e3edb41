import { useId } from 'preact/hooks';
import { isDeleted } from '../api/deletions.ts';
import type { ContentSummary } from '../api/types.ts';
import type { View } from '../location/query-string.ts';
import { linkTo } from '../location/view.ts';
import { CreatorName } from './creator-name.tsx';
import { ItemFigures } from './item-figures.tsx';
import { Part } from './part.tsx';
import { Thumbnail } from './thumbnail.tsx';
import { t } from '../../messages/texts.ts';

type ItemRowProps = {
  title: string;
  items: ContentSummary[];
  /** Where an item opens. */
  view: View;
  /** What shows all of them. */
  all?: View | undefined;
  /** Whether an opened item takes the place of the open one, so that closing it shows the list again. */
  replace?: boolean;
  level?: 'h2' | 'h3';
};

/** A row of items, which is scrolled sideways where they have no room. Nothing without items that are not deleted. */
export function ItemRow({ title, items: read, view, all, replace = false, level: Title = 'h3' }: ItemRowProps) {
  const id = useId();
  const items = read.filter(({ contentId }) => !isDeleted(contentId));
  if (items.length === 0) return null;
  return (
    <section class="row" aria-labelledby={id}>
      <header class="row-head">
        <Title id={id} dir="auto">
          {title}
        </Title>
        {all && (
          <a {...linkTo(all)} aria-label={t('allOf', { what: title })}>
            {t('all')}
          </a>
        )}
      </header>
      <ul>
        {items.map((item) => (
          <li key={item.contentId}>
            <Part>
              <Thumbnail item={item} />
              <a dir="auto" {...linkTo({ ...view, item: item.contentId }, { replace })}>
                {item.name}
              </a>
              <p class="card-meta">
                <CreatorName {...item} />
              </p>
              <ItemFigures item={item} isShort />
            </Part>
          </li>
        ))}
      </ul>
    </section>
  );
}
