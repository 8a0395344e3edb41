import { countDownload } from '../api/changes.ts';
import type { ContentItem } from '../api/types.ts';
import { readAgain } from '../api/use-query.ts';

/** Saves what the item contains as a file. The download counts only if the API knows of it. */
export function download({ contentId, name, fileName, data }: ContentItem): void {
  const url = URL.createObjectURL(new Blob([data], { type: 'application/octet-stream' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: fileName ?? `${name}.txt` });
  link.click();
  URL.revokeObjectURL(url);
  const counted = countedItems();
  if (counted.includes(contentId)) return;
  setCounted([...counted, contentId]);
  countDownload(contentId).then(readAgain, () => setCounted(countedItems().filter((id) => id !== contentId)));
}

// The downloads of this visit, also after the page was loaded again: a second click does not count.
const KEY = 'downloaded';
const countedItems = (): number[] => JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as number[];
const setCounted = (ids: number[]): void => sessionStorage.setItem(KEY, JSON.stringify(ids));
