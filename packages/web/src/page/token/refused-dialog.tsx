import { Dialog } from '../../shared/dialog.tsx';
import { settings } from '../settings.ts';
import { signOut } from './session.ts';
import { Access } from './sign-in-parts.tsx';

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
