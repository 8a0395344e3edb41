import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { formatNumber } from '../../messages/format.ts';
import { useMedia } from '../../shared/use-media.ts';
import { countFacets } from '../api/content.ts';
import { keepTotal, matchesOf } from '../api/counted.ts';
import { shownTags } from '../api/shown-tags.ts';
import type { Facets } from '../api/types.ts';
import { useQuery } from '../api/use-query.ts';
import { filtersOf } from '../location/filters-of.ts';
import { Later } from '../later.tsx';
import { EVERYTHING, NO_FILTERS, type View } from '../location/query-string.ts';
import { showList } from '../location/view.ts';
import { declaredFields } from '../location/declared-fields.ts';
import { CreatedFilter } from './created-filter.tsx';
import { CreatorFilter } from './creator-filter.tsx';
import { MinimumFilter } from './minimum-filter.tsx';
import { downloadOptions, ratingOptions } from './minimum-options.ts';
import { TagFilter } from './tag-filter.tsx';
import { t } from '../../messages/texts.ts';

/** The filters with their counts. On a narrow screen a button opens them as a sheet. */
export function Filters({ view }: { view: View }) {
  const [tagPrefix, setTagPrefix] = useState('');
  const prefix = tagPrefix.trim();
  const isNarrow = useMedia('(width < 900px)');
  const { data, isLoading } = useQuery(`${matchesOf(view)} ${prefix}`, (signal) =>
    keepTotal(view, countFacets(view, prefix, signal), signal),
  );
  useEffect(() => {
    if (data && prefix === '') shownTags.set(data.facets.tags.values.map(({ tag }) => tag));
  }, [data]);
  const controls = <Controls view={view} data={data} prefix={tagPrefix} onPrefix={setTagPrefix} />;
  return (
    // Some browsers do not give what is clicked the focus, but then what is around it.
    <aside class="filters" aria-label={t('filters')} aria-busy={isLoading} tabIndex={-1}>
      {isNarrow ? (
        <Sheet view={view} total={isLoading ? undefined : data?.totalElements}>
          {controls}
        </Sheet>
      ) : (
        controls
      )}
    </aside>
  );
}

type ControlsProps = { view: View; data: Facets | undefined; prefix: string; onPrefix: (prefix: string) => void };

/** Of an empty list, all counts are 0: only the filters that may be the reason are left. */
function Controls({ view, data, ...tags }: ControlsProps) {
  const isEmpty = data?.totalElements === 0;
  const isShown = (...names: (keyof View)[]): boolean => !isEmpty || names.some((name) => String(view[name]) !== String(EVERYTHING[name]));
  const minimum = minimumsOf(isEmpty ? undefined : data?.facets);
  const isSampled = (facet: string): boolean => data?.sampled?.[facet] !== undefined;
  return (
    <>
      {isShown('tags', 'excludeTags') && <TagFilter view={view} facet={data?.facets.tags} isSampled={isSampled('tags')} {...tags} />}
      {isShown('where', 'whereAll', 'whereNot') && <OwnFilters view={view} data={data} isEmpty={isEmpty} isSampled={isSampled} />}
      {isShown('creatorId', 'excludeCreatorId') && (
        <CreatorFilter view={view} facet={data?.facets.creators} isSampled={isSampled('creators')} />
      )}
      {MINIMUMS.filter((name) => isShown(name)).map((name) => (
        <MinimumFilter
          key={name}
          legend={LEGENDS[name]}
          parameter={name}
          chosen={view[name]}
          options={minimum[name]}
          isSampled={isSampled(COUNTED[name])}
        />
      ))}
      {isShown('createdFrom', 'createdTo') && <CreatedFilter from={view.createdFrom} to={view.createdTo} />}
    </>
  );
}

type OwnFiltersProps = Pick<ControlsProps, 'view' | 'data'> & { isEmpty: boolean; isSampled: (facet: string) => boolean };

function OwnFilters({ data, ...filters }: OwnFiltersProps) {
  if (declaredFields.length === 0) return null;
  return <Later>{({ FieldFilters }) => <FieldFilters facets={data && (data.facets.fields ?? {})} {...filters} />}</Later>;
}

function minimumsOf(facets: Facets['facets'] | undefined) {
  return { minRating: ratingOptions(facets?.ratings), minDownloads: downloadOptions(facets?.downloads) };
}

const MINIMUMS = ['minRating', 'minDownloads'] as const;
/** The facets. */
const COUNTED = { minRating: 'ratings', minDownloads: 'downloads' };
const LEGENDS = { minRating: t('rating'), minDownloads: t('downloadsTitle') };

type SheetProps = { view: View; total: Facets['totalElements'] | undefined; children: ComponentChildren };

function Sheet({ view, total, children }: SheetProps) {
  const [isOpen, setOpen] = useState(false);
  const count = filtersOf(view, (id) => String(id)).length;
  const close = (): void => setOpen(false);
  return (
    <>
      <Button icon="filter" onClick={() => setOpen(true)}>
        {t('filters')}
        {count > 0 && (
          <span class="badge">
            <span aria-hidden="true">{formatNumber(count)}</span>
            <span class="visually-hidden">{t('filtersSet', { n: count })}</span>
          </span>
        )}
      </Button>
      {isOpen && (
        <Dialog title={t('filters')} onClose={close} kind="sheet">
          <div class="filters-body">{children}</div>
          <footer class="sheet-foot">
            {count > 0 && <Button onClick={() => showList(NO_FILTERS)}>{t('removeAll')}</Button>}
            <Button kind="primary" onClick={close}>
              {total === undefined ? t('showList') : <Later meanwhile={t('showList')}>{({ ShowItems }) => <ShowItems n={total} />}</Later>}
            </Button>
          </footer>
        </Dialog>
      )}
    </>
  );
}
