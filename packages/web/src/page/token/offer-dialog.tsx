import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { useStore } from '../../shared/store.ts';
import type { TokenUser } from './claims.ts';
import { declineOffer, session, signIn, userOf } from './session.ts';
import { resumeSignIn } from './sign-in.ts';
import { t } from '../../messages/texts.ts';

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
    <Dialog title={t('useLinkToken')} onClose={decline}>
      <p>
        {t('tokenOf', { user: nameOf(other) })}{' '}
        {token === undefined ? t('notSignedIn') : t('youAreNow', { name: user?.name ?? nameOf(user) })} {t('linkTokenRisk')}
      </p>
      <footer class="dialog-foot">
        <Button kind="primary" onClick={decline}>
          {t(token === undefined ? 'notUse' : 'stay')}
        </Button>
        <Button onClick={() => signIn(offered)}>{t(isOther ? 'becomeOther' : 'useToken')}</Button>
      </footer>
    </Dialog>
  );
}

function nameOf(user: TokenUser | undefined): string {
  return user ? t('user', { id: user.subject }) : t('unknownUser');
}
