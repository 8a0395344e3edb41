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
        <OtherToken />
        <h2>{t('howToGet')}</h2>
        <TokenCommands />
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
      <OtherToken />
    </>
  );
}

/** A form for another token, which whoever signs in does not need. */
export function OtherToken({ onDone }: { onDone?: (() => void) | undefined }) {
  if (!settings.signIn) return <TokenForm onDone={onDone} />;
  return (
    <details>
      <summary>{t('useTokenInstead')}</summary>
      <TokenForm onDone={onDone} />
    </details>
  );
}
