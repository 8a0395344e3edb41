import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { useStore } from '../../shared/store.ts';
import type { TokenUser } from './claims.ts';
import { declineOffer, session, signIn, userOf } from './session.ts';
import { resumeSignIn } from './sign-in.ts';

/** A link must not change who the user is without the user knowing. */
export function OfferDialog({ offered }: { offered: string }) {
  const { user, token } = useStore(session);
  const other = userOf(offered);
  const isOther = user !== undefined && other?.account !== user.account;
  const decline = (): void => {
    declineOffer();
    resumeSignIn();
  };
  return (
    <Dialog title="Use the token of this link?" onClose={decline}>
      <p>
        The link contains a token of {nameOf(other)}.{' '}
        {token === undefined ? 'You are not signed in' : `You are ${user?.name ?? nameOf(user)}`}. If you use it, what you upload belongs to
        that user. Use it only if you know who sent it.
      </p>
      <footer class="dialog-foot">
        <Button kind="primary" onClick={decline}>
          {token === undefined ? 'Do not use it' : 'Stay'}
        </Button>
        <Button onClick={() => signIn(offered)}>{isOther ? 'Become the other user' : 'Use the token'}</Button>
      </footer>
    </Dialog>
  );
}

function nameOf(user: TokenUser | undefined): string {
  return user ? `user ${user.subject}` : 'an unknown user';
}
