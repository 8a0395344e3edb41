import { Dialog } from '../../shared/dialog.tsx';
import { settings } from '../settings.ts';
import { signOut } from './session.ts';
import { Access } from './sign-in-parts.tsx';
import { t } from '../../messages/texts.ts';

/** What was typed is kept below the dialog; what is read again by then is an error there until the token is a new one. */
export function RefusedDialog() {
  return (
    <Dialog title={t(settings.signIn ? 'signInAgain' : 'tokenEnded')} onClose={signOut}>
      <p>{t(settings.signIn ? 'expiredSignIn' : 'expiredToken')}</p>
      <Access label={t('signInAgain')} />
    </Dialog>
  );
}
