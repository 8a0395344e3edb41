import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { countFacets } from '../api/content.ts';
import { useQuery } from '../api/use-query.ts';
import { formatList, type View } from '../location/query-string.ts';
import { CreatedFilter } from './created-filter.tsx';
import { CreatorFilter } from './creator-filter.tsx';
import { MinimumFilter } from './minimum-filter.tsx';
import { downloadOptions, ratingOptions } from './minimum-options.ts';
import { TagFilter } from './tag-filter.tsx';

/** The filters with their counts. On a narrow screen a button shows them. */
export function Filters({ view }: { view: View }) {
  const [tagPrefix, setTagPrefix] = useState('');
  const [isShown, setShown] = useState(false);
  const matches = formatList({ ...view, page: 0, sort: 'relevance' });
  const { data, isLoading } = useQuery(`${matches} ${tagPrefix}`, (signal) => countFacets(view, tagPrefix, signal));
  const facets = data?.facets;
  return (
    <aside class="filters" aria-label="Filters" aria-busy={isLoading}>
      <div class="filters-toggle">
        <Button icon="filter" isExpanded={isShown} onClick={() => setShown(!isShown)}>
          Filters
        </Button>
      </div>
      <div class={isShown ? 'filters-body' : 'filters-body filters-collapsed'}>
        <TagFilter chosen={view.tags} facet={facets?.tags} prefix={tagPrefix} onPrefix={setTagPrefix} />
        <CreatorFilter chosen={view.creatorId} facet={facets?.creators} />
        <MinimumFilter legend="Rating" parameter="minRating" chosen={view.minRating} options={ratingOptions(facets?.ratings)} />
        <MinimumFilter
          legend="Downloads"
          parameter="minDownloads"
          chosen={view.minDownloads}
          options={downloadOptions(facets?.downloads)}
        />
        <CreatedFilter chosen={view.createdFrom} />
      </div>
    </aside>
  );
}
