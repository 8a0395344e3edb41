import { Dialog } from '../../shared/dialog.tsx';
import { getItem } from '../api/content.ts';
import type { RequestFailed } from '../api/request.ts';
import { useQuery } from '../api/use-query.ts';
import { Later, Skeleton } from '../later.tsx';
import { closeDialog } from '../location/view.ts';
import { Notice } from '../notice.tsx';
import { OutageBanner } from '../outage-banner.tsx';
import { t } from '../../messages/texts.ts';

export function ItemDialog({ contentId, isEdited }: { contentId: number; isEdited: boolean }) {
  const { data, error } = useQuery(`item ${contentId}`, (signal) => getItem(contentId, signal));
  return (
    <Dialog
      title={isEdited ? t('editItem') : (data?.item.name ?? t('item'))}
      onClose={closeDialog}
      kind={isEdited ? 'wide' : 'page'}
      closesBeside={!isEdited}
      actions={!isEdited && <Later meanwhile={null}>{({ NeighbourButtons }) => <NeighbourButtons contentId={contentId} />}</Later>}
    >
      {/* A modal dialog covers the rest of the page, also for assistive technology. */}
      <OutageBanner />
      <Notice />
      {error && <p class="error">{reasonOf(error)}</p>}
      {/* Loaded while the item is read. */}
      {!error && (
        <Later>
          {({ EditForm, ItemDetails }) => (data ? isEdited ? <EditForm read={data} /> : <ItemDetails read={data} /> : <Skeleton />)}
        </Later>
      )}
    </Dialog>
  );
}

function reasonOf({ status, message }: RequestFailed): string {
  return status === 404 ? t('noItem') : message;
}
