import { Button } from '../../shared/button.tsx';
import { Icon } from '../../shared/icon.tsx';
import { useStore } from '../../shared/store.ts';
import { settings } from '../settings.ts';
import { TokenCommands, TokenForm } from './token-form.tsx';
import { beginSignIn, signInProblem } from './sign-in.ts';

/** What somebody does who has no valid token. @param label that of the button with which users sign in, if they can */
export function Access({ label }: { label: string }) {
  if (!settings.signIn)
    return (
      <>
        <TokenForm />
        <h2>How to get a token</h2>
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
      <details>
        <summary>Use a token instead</summary>
        <TokenForm />
      </details>
    </>
  );
}

/** Why the user could not sign in. */
export function SignInProblem() {
  const problem = useStore(signInProblem);
  return (
    <div role="status">
      {problem !== '' && (
        <p class="banner">
          <Icon name="warning" />
          <span>{problem}</span>
        </p>
      )}
    </div>
  );
}
