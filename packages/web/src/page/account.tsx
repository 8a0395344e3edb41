import { Button } from '../shared/button.tsx';
import { formatDateTime } from '../messages/format.ts';
import { useStore } from '../shared/store.ts';
import { EVERYTHING } from './location/query-string.ts';
import { linkTo } from './location/view.ts';
import { copyText } from './notice.tsx';
import { settings } from './settings.ts';
import { hasScope } from './token/claims.ts';
import { session, signOut } from './token/session.ts';
import { endSignIn, renewToken } from './token/sign-in.ts';
import { TokenCommands, TokenForm } from './token/token-form.tsx';
import { t } from '../messages/texts.ts';

/** Leads to what belongs to the user, and takes another token. */
export function Account({ onClose }: { onClose: () => void }) {
  const { user, idToken, token } = useStore(session);
  return (
    <>
      <div class="account-links">
        <a class="button button-plain" {...linkTo({ ...EVERYTHING, hidden: 'mine' }, { onFollow: onClose })}>
          {t('myItems')}
        </a>
        <a class="button button-plain" {...linkTo({ ...EVERYTHING, hidden: true }, { onFollow: onClose })}>
          {t('hiddenItems')}
        </a>
        {hasScope(token, settings.scopeClaim, 'content:moderate') && (
          <a class="button button-plain" {...linkTo({ ...EVERYTHING, hidden: 'review' }, { onFollow: onClose })}>
            {t('toReview')}
          </a>
        )}
      </div>
      <details class="for-developers">
        <summary>{t('forDevelopers')}</summary>
        <p>
          {user?.expiresAt !== undefined && `${t('validUntil', { time: formatDateTime(user.expiresAt) })} `}
          {!settings.signIn && t('keptByTabs')}
        </p>
        <CopyToken />
        <TokenForm onDone={onClose} />
        {!settings.signIn && <TokenCommands />}
      </details>
      <footer class="dialog-foot">
        {idToken !== undefined ? (
          <Button onClick={endSignIn}>{t('signOut')}</Button>
        ) : (
          <Button onClick={signOut}>{t('forgetToken')}</Button>
        )}
      </footer>
    </>
  );
}

/** For curl and /docs. */
function CopyToken() {
  const copy = (): void => void renewToken().then(() => copyText(session.get().token ?? '', 'token'));
  return <Button onClick={copy}>{t('copyTheToken')}</Button>;
}
