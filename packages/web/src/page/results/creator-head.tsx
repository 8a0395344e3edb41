import { readCreator } from '../api/more-content.ts';
import { useQuery } from '../api/use-query.ts';
import { formatMonth } from '../../messages/format.ts';
import { t } from '../../messages/texts.ts';

/** Who has made the items of a list, and what these are together. Nothing for a user without items. */
export function CreatorHead({ creatorId }: { creatorId: number }) {
  const { data } = useQuery(`creator ${creatorId}`, (signal) => readCreator(creatorId, signal));
  if (data?.userId !== creatorId) return null;
  const { username, itemsCount, downloadsCount, firstCreatedAt } = data;
  return (
    <>
      <div class="avatar" aria-hidden="true">
        {[...username.trim()][0]}
      </div>
      <div>
        <p class="creator-name" dir="auto">
          {username}
        </p>
        <ul class="facts">
          <li>{t('items', { n: itemsCount })}</li>
          <li>{t('downloads', { n: downloadsCount })}</li>
          <li>{t('hereSince', { time: formatMonth(firstCreatedAt) })}</li>
        </ul>
      </div>
    </>
  );
}
