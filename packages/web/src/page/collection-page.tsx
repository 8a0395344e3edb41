import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import { useStore } from '../shared/store.ts';
import { ItemDialog } from './item/item-dialog.tsx';
import { Filters } from './filters/filters.tsx';
import { Header } from './header.tsx';
import { Later } from './later.tsx';
import { closeDialog, completeAddress, useView } from './location/view.ts';
import { Notice } from './notice.tsx';
import { OutageBanner } from './outage-banner.tsx';
import { Results } from './results/results.tsx';
import { session } from './token/session.ts';
import { t } from '../messages/texts.ts';

export function CollectionPage() {
  const view = useView();
  const [isAccountOpen, setAccountOpen] = useState(false);
  useEffect(completeAddress, []);
  return (
    <>
      <Header onAccount={() => setAccountOpen(true)} />
      <OutageBanner />
      <div class="layout">
        {!view.hidden && <Filters view={view} />}
        {/* Just before the heading, where the keyboard is when a card has gone. */}
        <Notice />
        <Results view={view} />
      </div>
      {view.item !== undefined && <ItemDialog key={view.item} contentId={view.item} isEdited={view.form === 'edit'} />}
      {view.form === 'upload' && (
        <Dialog title={t('upload')} onClose={closeDialog}>
          <Notice />
          <Later>{({ UploadForm }) => <UploadForm />}</Later>
        </Dialog>
      )}
      {isAccountOpen && <AccountDialog onClose={() => setAccountOpen(false)} />}
    </>
  );
}

function AccountDialog({ onClose }: { onClose: () => void }) {
  const { user } = useStore(session);
  return (
    <Dialog title={user?.name === undefined ? t('yourToken') : t('youAre', { name: user.name })} onClose={onClose}>
      <Notice />
      <Later>{({ Account }) => <Account onClose={onClose} />}</Later>
    </Dialog>
  );
}
