import type { Said } from '../messages/texts.ts';
import type { SignInSettings } from '@ugc/shared/contracts/sign-in';

/** What the sign-in reads of the session of the tab. */
type HostTokens = { token: string | undefined; offered: string | undefined; idToken: string | undefined; signIns: number };

/** What the page does for the sign-in, which is a file of its own and is loaded only if users can sign in. */
export type Host = {
  settings: SignInSettings;
  userClaim: string;
  session: { get(): HostTokens };
  /** @returns undefined if the text is not a token of a user */
  userOf(token: string): object | undefined;
  signIn(token: string, idToken: string | undefined): void;
  replaceToken(token: string, idToken: string | undefined): void;
  refuseToken(token: string): void;
  signOut(): void;
  /** @param problem undefined if there is none any more */
  tell(problem: Said | undefined): void;
};

export type SignIn = {
  /** Continues after a load of the page. @returns whether the page is left */
  resume(): Promise<boolean>;
  /** Asks the provider without asking the user, if that may succeed. @returns whether the page is left */
  askAgain(): Promise<boolean>;
  /** The user has asked to sign in. */
  begin(): Promise<void>;
  /** @param refused the token that the API did not accept. @returns whether there is a new token */
  renew(refused?: string): Promise<boolean>;
  signOut(): Promise<void>;
};
