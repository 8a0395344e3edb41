import type { Facets } from '../api/types.ts';
import type { View } from '../location/query-string.ts';
import { choicesOf, FacetFilter } from './facet-filter.tsx';
import { t } from '../../messages/texts.ts';

type TagFilterProps = {
  view: View;
  facet: Facets['facets']['tags'] | undefined;
  isSampled: boolean;
  prefix: string;
  onPrefix: (prefix: string) => void;
};

/** A further tag narrows the list, so each count is that of the list after the choice. */
export function TagFilter({ view, facet, isSampled, prefix, onPrefix }: TagFilterProps) {
  const found = facet?.values.map(({ tag, count }) => ({ value: tag, count }));
  return (
    <FacetFilter
      legend={t('tags')}
      choices={choicesOf<string>(view, 'tags')}
      found={found}
      isSampled={isSampled}
      hasMore={(facet?.other ?? 0) > 0}
      labelOf={(tag) => tag}
      shown={8}
    >
      <input
        class="input input-small"
        type="search"
        aria-label={t('findTag')}
        placeholder={t('findTag')}
        value={prefix}
        onInput={(event) => onPrefix(event.currentTarget.value)}
      />
      {found?.length === 0 && prefix.trim() !== '' && <p class="muted">{t('noTag', { text: prefix })}</p>}
    </FacetFilter>
  );
}
