import { Button } from '../../shared/button.tsx';
import { settings } from '../settings.ts';
import { TokenCommands, TokenForm } from './token-form.tsx';
import { beginSignIn } from './sign-in.ts';
import { SignInProblem } from './sign-in-problem.tsx';
import { t } from '../../messages/texts.ts';

/** What somebody does who has no valid token. @param label that of the button with which users sign in, if they can */
export function Access({ label }: { label: string }) {
  if (!settings.signIn)
    return (
      <>
        <TokenForm />
        <details class="for-developers">
          <summary>{t('howToGet')}</summary>
          <TokenCommands />
        </details>
      </>
    );
  return (
    <>
      <SignInProblem />
      <p>
        <Button kind="primary" onClick={beginSignIn}>
          {label}
        </Button>
      </p>
      {/* Whoever signs in does not need one. */}
      <details class="for-developers">
        <summary>{t('useTokenInstead')}</summary>
        <TokenForm />
      </details>
    </>
  );
}
