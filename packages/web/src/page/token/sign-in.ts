import { createStore } from '../../shared/store.ts';
import type { Host, SignIn } from '../../sign-in/host.ts';
import { loadLaterTexts, type Said } from '../../messages/texts.ts';
import { settings } from '../settings.ts';
import { refuseToken, replaceToken, session, signIn, signOut, userOf } from './session.ts';

/** Why the user is not signed in; undefined if there is no problem. */
export const signInProblem = createStore<Said | undefined>(undefined);

let loaded: SignIn | undefined;

let told: Said | undefined;

/** Its texts are loaded only if there is a problem. By then it may be over. */
function tell(problem: Said | undefined): void {
  told = problem;
  const texts = problem ? loadLaterTexts() : Promise.resolve();
  texts.then(
    () => signInProblem.set(told),
    // The service does not respond, which the page says by itself.
    () => undefined,
  );
}

/** Loads the code that signs in, and continues with what the address and the tab say. @returns whether the page is left */
export async function startSignIn(): Promise<boolean> {
  if (!settings.signIn) return false;
  try {
    const { start } = (await import(settings.signIn.script)) as { start(host: Host): SignIn };
    const actions = { userOf, signIn, replaceToken, refuseToken, signOut, tell };
    loaded = start({ settings: settings.signIn, userClaim: settings.userClaim, session, ...actions });
    return await loaded.resume();
  } catch {
    tell(['signInNotLoaded']);
    return false;
  }
}

export const resumeSignIn = (): void => void loaded?.askAgain();
export const beginSignIn = (): void => void (loaded ? loaded.begin() : location.reload());
export const endSignIn = (): void => void (loaded ? loaded.signOut() : signOut());

/**
 * Renews a token that is near its end, or that was refused, if the user has signed in.
 * @returns whether there is a new token
 */
export async function renewToken(refused?: string): Promise<boolean> {
  return (await loaded?.renew(refused)) ?? false;
}
