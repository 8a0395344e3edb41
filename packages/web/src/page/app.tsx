import { useStore } from '../shared/store.ts';
import { CollectionPage } from './collection-page.tsx';
import { useView } from './location/view.ts';
import { Later } from './later.tsx';
import { session } from './token/session.ts';
import { SignInProblem } from './token/sign-in-problem.tsx';
import './styles/page.css';

export function App() {
  const view = useView();
  const { token, user, offered, isRefused } = useStore(session);
  return (
    <>
      {token !== undefined && !isRefused && <SignInProblem />}
      {token === undefined ? (
        <Later>{({ Welcome }) => <Welcome isItemAsked={view.item !== undefined} />}</Later>
      ) : (
        <CollectionPage key={user?.account} />
      )}
      {offered !== undefined && <Later>{({ OfferDialog }) => <OfferDialog offered={offered} />}</Later>}
      {isRefused && offered === undefined && <Later>{({ RefusedDialog }) => <RefusedDialog />}</Later>}
    </>
  );
}
