import { Button } from '../../shared/button.tsx';
import { Icon } from '../../shared/icon.tsx';
import { useStore } from '../../shared/store.ts';
import { settings } from '../settings.ts';
import { TokenCommands, TokenForm } from './token-form.tsx';
import { beginSignIn, signInProblem } from './sign-in.ts';
import { say, t } from '../../messages/texts.ts';

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

/** Why the user could not sign in. */
export function SignInProblem() {
  const problem = useStore(signInProblem);
  return (
    <div role="status">
      {problem && (
        <p class="banner">
          <Icon name="warning" />
          <span>{say(problem)}</span>
        </p>
      )}
    </div>
  );
}
