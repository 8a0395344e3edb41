import { useEffect } from 'preact/hooks';
import { ItemDialog } from './item/item-dialog.tsx';
import { UploadDialog } from './form/upload-dialog.tsx';
import { Filters } from './filters/filters.tsx';
import { Header } from './header.tsx';
import { completeAddress, useView } from './location/view.ts';
import { Notice } from './notice.tsx';
import { OutageBanner } from './outage-banner.tsx';
import { Results } from './results/results.tsx';

export function CollectionPage() {
  const view = useView();
  useEffect(completeAddress, []);
  return (
    <>
      <Header />
      <OutageBanner />
      <div class="layout">
        {!view.hidden && <Filters view={view} />}
        {/* Just before the heading, where the keyboard is when a card has gone. */}
        <Notice />
        <Results view={view} />
      </div>
      {view.item !== undefined && <ItemDialog key={view.item} contentId={view.item} isEdited={view.form === 'edit'} />}
      {view.form === 'upload' && <UploadDialog />}
    </>
  );
}
