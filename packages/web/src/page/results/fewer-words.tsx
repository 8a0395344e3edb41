import { countItems } from '../api/more-content.ts';
import { useQuery } from '../api/use-query.ts';
import { formatList, type View } from '../location/query-string.ts';
import { linkTo } from '../location/view.ts';
import { t } from '../../messages/texts.ts';

/** Below a list of the items with the most words, how many others have some of them. @param total the items on all pages */
export function FewerWords({ view, total }: { view: View; total: number }) {
  const wider: View = { ...view, match: 'most', page: 0, item: undefined, form: undefined };
  // Counted in the order that costs least.
  const counted: View = { ...wider, sort: ['createdAt,desc'] };
  const { data, isLoading } = useQuery(formatList(counted), (signal) => countItems(counted, signal));
  const more = data !== undefined && !isLoading ? data - total : 0;
  if (more <= 0) return null;
  return (
    <p class="note fewer-words">
      <a {...linkTo(wider)}>{t('moreWithFewer', { n: more })}</a>
    </p>
  );
}
