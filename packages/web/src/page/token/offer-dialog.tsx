import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { useStore } from '../../shared/store.ts';
import { declineOffer, session, signIn, userOf } from './session.ts';

/** A link must not change who the user is without the user knowing. */
export function OfferDialog({ offered }: { offered: string }) {
  const { user } = useStore(session);
  const other = userOf(offered);
  const own = user?.name ?? nameOf(user?.userId);
  return (
    <Dialog title="Use the token of this link?" onClose={declineOffer}>
      <p>
        The link that you opened contains a token of {nameOf(other?.userId)}. You are {own}. With the other token, what you upload belongs
        to {nameOf(other?.userId)}.
      </p>
      <footer class="dialog-foot">
        <Button kind="primary" onClick={declineOffer}>
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
