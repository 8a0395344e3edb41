import { useStore } from '../shared/store.ts';
import { CollectionPage } from './collection-page.tsx';
import { Notice } from './notice.tsx';
import { OfferDialog } from './token/offer-dialog.tsx';
import { session } from './token/session.ts';
import { RefusedDialog } from './token/token-dialog.tsx';
import { Welcome } from './token/welcome.tsx';
import './styles/page.css';

export function App() {
  const { token, offered, isRefused } = useStore(session);
  return (
    <>
      {token === undefined ? <Welcome /> : <CollectionPage />}
      {offered !== undefined && <OfferDialog offered={offered} />}
      {isRefused && offered === undefined && <RefusedDialog />}
      <Notice />
    </>
  );
}
