import { useStore } from '../../shared/store.ts';
import { listRow } from '../api/more-content.ts';
import { shownTags } from '../api/shown-tags.ts';
import type { ContentSummary } from '../api/types.ts';
import { useQuery } from '../api/use-query.ts';
import { ItemRow } from '../parts/item-row.tsx';
import { EVERYTHING, type View } from '../location/query-string.ts';
import { linkTo } from '../location/view.ts';
import { t } from '../../messages/texts.ts';
import { fewOfEach } from './few-of-each.ts';

/** `title`: said when the row is shown, since these texts are loaded beside this file. `list`: what the row is the beginning of. */
type Row = { title: 'popularThisWeek' | 'newItems' | 'recentlyChanged' | 'mostDownloaded'; list: View };
type ReadRow = Row & { items: ContentSummary[] };

/** A publication alone counts 1: more than that is what others have done. */
const POPULAR_MIN = 2;
const POPULAR: Row = { title: 'popularThisWeek', list: { ...EVERYTHING, sort: ['trending'], minRecent: POPULAR_MIN } };
const NEW: Row = { title: 'newItems', list: { ...EVERYTHING, sort: ['createdAt,desc'] } };
const CHANGED: Row = { title: 'recentlyChanged', list: { ...EVERYTHING, sort: ['updatedAt,desc'] } };
/** Instead, where nothing changes: the same items as in the row before would be no help. */
const DOWNLOADED: Row = { title: 'mostDownloaded', list: { ...EVERYTHING, sort: ['downloadsCount,desc'] } };
const SHOWN = 8;
/** So many are read where one account could fill the row. */
const READ = 40;
/** Fewer are no row. */
const SHOWN_MIN = 3;
const TAGS = 12;
/** Where the browser keeps how many rows there were, so that the list below them does not move. */
const COUNT = 'front-rows';

/** The rows as they were read last, which whoever comes back to the front sees at once. */
let known: ReadRow[] | undefined;

/** What is above the list of everything: tags, and rows of items. All rows come at once, so that none moves another. */
export function Front({ view }: { view: View }) {
  const { data = known } = useQuery('front', readRows);
  return (
    <>
      <Tags />
      {data?.map(({ title, list, items }) => <ItemRow key={title} title={t(title)} items={items} view={view} all={list} level="h2" />) ??
        Array.from({ length: Number(localStorage.getItem(COUNT) ?? 2) }, (_, at) => (
          <div key={at} class="row row-skeleton" aria-hidden="true" />
        ))}
    </>
  );
}

async function readRows(signal: AbortSignal): Promise<ReadRow[]> {
  const read = async (row: Row, size = SHOWN): Promise<ReadRow> => ({ ...row, items: await listRow({ ...row.list, size }, signal) });
  const [popular, all, allChanged] = await Promise.all([read(POPULAR), read(NEW, READ), read(CHANGED, READ)]);
  const newest = { ...all, items: fewOfEach(all.items, SHOWN) };
  const isChanged = ({ createdAt, updatedAt }: ContentSummary): boolean => updatedAt !== createdAt;
  const changed = { ...allChanged, items: fewOfEach(allChanged.items.filter(isChanged), SHOWN) };
  const rows = [popular, newest, isRow(changed) ? changed : await read(DOWNLOADED)].filter(isRow);
  localStorage.setItem(COUNT, String(rows.length));
  return (known = rows);
}

const isRow = ({ items }: ReadRow): boolean => items.length >= SHOWN_MIN;

/** The most frequent tags, which the filters have counted. */
function Tags() {
  const tags = useStore(shownTags);
  return (
    <ul class="chips front-tags" aria-label={t('tags')}>
      {tags.slice(0, TAGS).map((tag) => (
        <li key={tag}>
          <a class="chip" dir="auto" {...linkTo({ ...EVERYTHING, tags: [tag] })}>
            {tag}
          </a>
        </li>
      ))}
    </ul>
  );
}
