import { useRef } from 'preact/hooks';
import type { View } from '../location/query-string.ts';
import type { Count } from './count.ts';
import { listTitle } from './list-title.ts';
import { t } from '../../messages/texts.ts';

/** `shown`: the page of the list, once it and its number are shown. `count`: undefined if the number could not be counted. */
type AnnouncementProps = { shown: object | undefined; count: Count | undefined; view: View };

/** What is said of a list when it is shown: once, also if more is known of it later. */
export function Announcement({ shown, count, view }: AnnouncementProps) {
  const said = useRef<{ of: object | undefined; text: string }>({ of: undefined, text: '' });
  if (shown !== said.current.of) said.current = { of: shown, text: shown ? textOf(count, view) : '' };
  return <>{said.current.text}</>;
}

function textOf(count: Count | undefined, view: View): string {
  if (!count) return listTitle(count, view);
  const found = t('itemsFound', { n: count.total });
  return count.pages > 1 ? t('foundOnPage', { found, page: view.page + 1, pages: count.pages }) : found;
}
