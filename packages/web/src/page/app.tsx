import { useStore } from '../shared/store.ts';
import { CollectionPage } from './collection-page.tsx';
import { useView } from './location/view.ts';
import { Later } from './later.tsx';
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
      {offered !== undefined && <Later>{({ OfferDialog }) => <OfferDialog offered={offered} />}</Later>}
      {isRefused && offered === undefined && <RefusedDialog />}
    </>
  );
}
