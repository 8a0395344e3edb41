import { useStore } from '../shared/store.ts';
import { CollectionPage } from './collection-page.tsx';
import { useView } from './location/view.ts';
import { OfferDialog } from './token/offer-dialog.tsx';
import { RefusedDialog } from './token/refused-dialog.tsx';
import { session } from './token/session.ts';
import { SignInProblem } from './token/sign-in-parts.tsx';
import { Welcome } from './token/welcome.tsx';
import './styles/page.css';

export function App() {
  const view = useView();
  const { token, user, offered, isRefused } = useStore(session);
  return (
    <>
      {token !== undefined && !isRefused && <SignInProblem />}
      {token === undefined ? <Welcome isItemAsked={view.item !== undefined} /> : <CollectionPage key={user?.account} />}
      {offered !== undefined && <OfferDialog offered={offered} />}
      {isRefused && offered === undefined && <RefusedDialog />}
    </>
  );
}
