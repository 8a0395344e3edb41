import { countDownload } from '../api/changes.ts';
import type { ContentItem } from '../api/types.ts';
import { readAgain } from '../api/use-query.ts';
import { session } from '../token/session.ts';

/** Saves what the item contains as a file. The download counts only if the API knows of it. */
export function download({ contentId, name, fileName, data }: ContentItem): void {
  const url = URL.createObjectURL(new Blob([data], { type: 'application/octet-stream' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: fileName ?? `${name}.txt` });
  link.click();
  URL.revokeObjectURL(url);
  const counted = countedBy(session.get().user?.account);
  if (counted.has(contentId)) return;
  counted.add(contentId);
  countDownload(contentId).then(readAgain, () => counted.remove(contentId));
}

const KEY = 'downloaded';
type Downloaded = Record<string, number[]>;

/** The downloads of this visit by an account, also after the page was loaded again: a second click does not count. */
function countedBy(account = '') {
  // An older page has kept the ids of all accounts together.
  const read = (): Downloaded => {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Downloaded | number[];
    return Array.isArray(kept) ? {} : kept;
  };
  const idsIn = (kept: Downloaded): number[] => kept[account] ?? [];
  const change = (ids: number[]): void => sessionStorage.setItem(KEY, JSON.stringify({ ...read(), [account]: ids }));
  return {
    has: (id: number): boolean => idsIn(read()).includes(id),
    add: (id: number): void => change([...idsIn(read()), id]),
    remove: (id: number): void => change(idsIn(read()).filter((other) => other !== id)),
  };
}
