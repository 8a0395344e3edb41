import { useStore } from '../../shared/store.ts';
import { useCreatorNames } from '../api/creator-names.ts';
import type { Facets } from '../api/types.ts';
import type { View } from '../location/query-string.ts';
import { session } from '../token/session.ts';
import { choicesOf, FacetFilter } from './facet-filter.tsx';
import { t } from '../../messages/texts.ts';

type CreatorFilterProps = { view: View; facet: Facets['facets']['creators'] | undefined; isSampled: boolean };

/** One's own items come first. */
export function CreatorFilter({ view, facet, isSampled }: CreatorFilterProps) {
  const { user } = useStore(session);
  const nameOf = useCreatorNames();
  return (
    <FacetFilter
      legend={t('creators')}
      choices={choicesOf<number>(view, 'creatorId')}
      first={user?.userId === undefined ? [] : [user.userId]}
      found={facet?.values.map(({ creatorId, count }) => ({ value: creatorId, count }))}
      isSampled={isSampled}
      hasMore={(facet?.other ?? 0) > 0}
      labelOf={(id) => (id === user?.userId ? t('mine') : nameOf(id, t('user', { id: String(id) })))}
      shown={6}
    />
  );
}
