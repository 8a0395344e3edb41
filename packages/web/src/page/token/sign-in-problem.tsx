import { say } from '../../messages/texts.ts';
import { Icon } from '../../shared/icon.tsx';
import { useStore } from '../../shared/store.ts';
import { signInProblem } from './sign-in.ts';

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
