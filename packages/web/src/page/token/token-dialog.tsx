import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { formatDateTime } from '../../shared/format.ts';
import { useStore } from '../../shared/store.ts';
import { Notice } from '../notice.tsx';
import { settings } from '../settings.ts';
import { session, signOut } from './session.ts';
import { Access, CopyToken } from './sign-in-parts.tsx';
import { endSignIn } from './sign-in.ts';
import { TokenCommands, TokenForm } from './token-form.tsx';

/** Says who the user is, and takes another token. @param hiddenItems the attributes of a link to them */
export function TokenDialog({ onClose, hiddenItems }: { onClose: () => void; hiddenItems: object }) {
  const { user, isSignedIn } = useStore(session);
  return (
    <Dialog title={user?.name === undefined ? 'Your token' : `You are ${user.name}`} onClose={onClose}>
      <Notice />
      <p>
        {user?.expiresAt !== undefined && `Your token is valid until ${formatDateTime(user.expiresAt)}. `}
        {!settings.signIn && 'The open tabs of this page have it; it is gone with the last of them.'}
      </p>
      <TokenForm onDone={onClose} />
      {!settings.signIn && <TokenCommands />}
      <footer class="dialog-foot">
        <a class="button button-plain" {...hiddenItems}>
          Hidden items
        </a>
        <CopyToken />
        {isSignedIn ? <Button onClick={endSignIn}>Sign out</Button> : <Button onClick={signOut}>Forget the token</Button>}
      </footer>
    </Dialog>
  );
}

/** What was typed is kept below the dialog; what is read again by then is an error there until the token is a new one. */
export function RefusedDialog() {
  const [title, how] = settings.signIn ? ['Sign in again', 'Sign in again'] : ['Your token is no longer valid', 'Paste a new one'];
  return (
    <Dialog title={title} onClose={signOut}>
      <p>Your token has probably expired. {how} to continue where you were; what you typed is kept.</p>
      <Access label="Sign in again" />
    </Dialog>
  );
}
