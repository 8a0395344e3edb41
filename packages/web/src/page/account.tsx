import { Button } from '../shared/button.tsx';
import { formatDateTime } from '../messages/format.ts';
import { useStore } from '../shared/store.ts';
import { EVERYTHING } from './location/query-string.ts';
import { linkTo } from './location/view.ts';
import { copyText } from './notice.tsx';
import { settings } from './settings.ts';
import { hasScope } from './token/claims.ts';
import { session, signOut } from './token/session.ts';
import { OtherToken } from './token/sign-in-parts.tsx';
import { endSignIn, renewToken } from './token/sign-in.ts';
import { TokenCommands } from './token/token-form.tsx';
import { t } from '../messages/texts.ts';

/** Takes another token, and leads to what belongs to the user. */
export function Account({ onClose }: { onClose: () => void }) {
  const { user, idToken, token } = useStore(session);
  return (
    <>
      <p>
        {user?.expiresAt !== undefined && `${t('validUntil', { time: formatDateTime(user.expiresAt) })} `}
        {!settings.signIn && t('keptByTabs')}
      </p>
      <OtherToken onDone={onClose} />
      {!settings.signIn && <TokenCommands />}
      <footer class="dialog-foot">
        <a class="button button-plain" {...linkTo({ ...EVERYTHING, hidden: true }, { onFollow: onClose })}>
          {t('hiddenItems')}
        </a>
        <a class="button button-plain" {...linkTo({ ...EVERYTHING, hidden: 'mine' }, { onFollow: onClose })}>
          {t('myItems')}
        </a>
        {hasScope(token, settings.scopeClaim, 'content:moderate') && (
          <a class="button button-plain" {...linkTo({ ...EVERYTHING, hidden: 'review' }, { onFollow: onClose })}>
            {t('toReview')}
          </a>
        )}
        <CopyToken />
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
