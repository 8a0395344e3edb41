import { Dialog } from '../../shared/dialog.tsx';
import { getItem } from '../api/content.ts';
import type { RequestFailed } from '../api/request.ts';
import { useQuery } from '../api/use-query.ts';
import { Later } from '../later.tsx';
import { closeDialog } from '../location/view.ts';
import { Notice } from '../notice.tsx';
import { OutageBanner } from '../outage-banner.tsx';
import { ItemDetails } from './item-details.tsx';
import { NeighbourButtons } from './neighbour-buttons.tsx';

export function ItemDialog({ contentId, isEdited }: { contentId: number; isEdited: boolean }) {
  const { data, error } = useQuery(`item ${contentId}`, (signal) => getItem(contentId, signal));
  return (
    <Dialog
      title={isEdited ? 'Edit item' : (data?.item.name ?? 'Item')}
      onClose={closeDialog}
      kind="wide"
      actions={!isEdited && <NeighbourButtons contentId={contentId} />}
    >
      {/* A modal dialog covers the rest of the page, also for assistive technology. */}
      <OutageBanner />
      <Notice />
      {error && <p class="error">{reasonOf(error)}</p>}
      {!data && !error && <div class="skeleton" aria-hidden="true" />}
      {data && (isEdited ? <Later>{({ EditForm }) => <EditForm read={data} />}</Later> : <ItemDetails read={data} />)}
    </Dialog>
  );
}

function reasonOf({ status, message }: RequestFailed): string {
  return status === 404 ? 'There is no such item. It may have been deleted.' : message;
}
