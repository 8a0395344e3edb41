import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { useStore } from '../../shared/store.ts';
import type { TokenUser } from './claims.ts';
import { declineOffer, session, signIn, userOf } from './session.ts';
import { resumeSignIn } from './sign-in.ts';

/** A link must not change who the user is without the user knowing. */
export function OfferDialog({ offered }: { offered: string }) {
  const { user, token } = useStore(session);
  const other = nameOf(userOf(offered));
  const own = token === undefined ? 'the user who signed in here' : (user?.name ?? nameOf(user));
  const decline = (): void => {
    declineOffer();
    resumeSignIn();
  };
  return (
    <Dialog title="Use the token of this link?" onClose={decline}>
      <p>
        The link contains a token of {other}. You are {own}.
      </p>
      <footer class="dialog-foot">
        <Button kind="primary" onClick={decline}>
          Stay
        </Button>
        <Button onClick={() => signIn(offered)}>Become the other user</Button>
      </footer>
    </Dialog>
  );
}

function nameOf(user: TokenUser | undefined): string {
  return user ? `user ${user.subject}` : 'an unknown user';
}
