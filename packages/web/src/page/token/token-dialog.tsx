import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { formatDateTime } from '../../shared/format.ts';
import { useStore } from '../../shared/store.ts';
import { session, signOut } from './session.ts';
import { TokenCommands, TokenForm } from './token-form.tsx';

/** Says who the user is, and takes another token. */
export function TokenDialog({ onClose }: { onClose: () => void }) {
  const { user } = useStore(session);
  return (
    <Dialog title={user?.name === undefined ? 'Your token' : `You are ${user.name}`} onClose={onClose}>
      <p>
        {user?.expiresAt !== undefined && `Your token is valid until ${formatDateTime(user.expiresAt)}. `}
        The open tabs of this page have it; it is gone with the last of them.
      </p>
      <TokenForm onDone={onClose} />
      <TokenCommands />
      <footer class="dialog-foot">
        <a class="button button-plain" href="?hidden=true">
          Hidden items
        </a>
        <Button onClick={signOut}>Forget the token</Button>
      </footer>
    </Dialog>
  );
}

/** The rest of the page stays as it is below the dialog, with everything that was typed. */
export function RefusedDialog() {
  return (
    <Dialog title="Your token is no longer valid" onClose={signOut}>
      <p>It has probably expired. Paste a new one to continue where you were; what you typed is kept.</p>
      <TokenForm />
      <TokenCommands />
    </Dialog>
  );
}
