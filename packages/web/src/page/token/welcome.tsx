import { Notice } from '../notice.tsx';
import { settings } from '../settings.ts';
import { Access } from './sign-in-parts.tsx';
import { t } from '../../messages/texts.ts';

/** @param isItemAsked whether the address is that of an item */
export function Welcome({ isItemAsked }: { isItemAsked: boolean }) {
  return (
    <main class="welcome">
      <h1 data-title-of-page tabIndex={-1} dir="auto">
        {settings.name}
      </h1>
      <p class="lead">
        {settings.about ?? t('welcome')} {t(settings.signIn ? 'welcomeSignIn' : 'welcomeToken')}
      </p>
      {isItemAsked && <p class="lead">{t('itemOpensThen')}</p>}
      <Access label={t('signIn')} />
      <Notice />
    </main>
  );
}
