import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { useStore } from '../../shared/store.ts';
import { declineOffer, session, signIn, userOf } from './session.ts';
import { resumeSignIn } from './sign-in.ts';

/** A link must not change who the user is without the user knowing. */
export function OfferDialog({ offered }: { offered: string }) {
  const { user, token } = useStore(session);
  const other = userOf(offered);
  const own = token === undefined ? 'the user who signed in here' : (user?.name ?? nameOf(user?.userId));
  const decline = (): void => {
    declineOffer();
    resumeSignIn();
  };
  return (
    <Dialog title="Use the token of this link?" onClose={decline}>
      <p>
        The link that you opened contains a token of {nameOf(other?.userId)}. You are {own}. With the other token, what you upload belongs
        to {nameOf(other?.userId)}.
      </p>
      <footer class="dialog-foot">
        <Button kind="primary" onClick={decline}>
          Stay {own}
        </Button>
        <Button onClick={() => signIn(offered)}>Become {nameOf(other?.userId)}</Button>
      </footer>
    </Dialog>
  );
}

function nameOf(userId: number | undefined): string {
  return userId === undefined ? 'an unknown user' : `user ${userId}`;
}
