import { createStore } from '../../shared/store.ts';
import { settings } from '../settings.ts';
import { readClaims, tokenInFragment, type TokenUser } from './claims.ts';

const KEY = 'token';

export type Session = {
  /** Undefined: the page asks for one. */
  token: string | undefined;
  user: TokenUser | undefined;
  /** Another token that came with a link. It is used only if the user agrees: else a link could change who uploads. */
  offered: string | undefined;
  /** The API no longer accepts the token. */
  isRefused: boolean;
};

const stored = sessionStorage.getItem(KEY) ?? undefined;
export const session = createStore<Session>({ token: stored, user: userOf(stored), offered: undefined, isRefused: false });

/** In sessionStorage, a token ends with its tab and is not sent along like a cookie. */
export function signIn(token: string): void {
  sessionStorage.setItem(KEY, token);
  session.set({ token, user: userOf(token), offered: undefined, isRefused: false });
}

export function signOut(): void {
  sessionStorage.removeItem(KEY);
  session.set({ token: undefined, user: undefined, offered: undefined, isRefused: false });
}

export function refuseToken(token: string | undefined): void {
  if (token === session.get().token) session.set({ ...session.get(), isRefused: true });
}

export function declineOffer(): void {
  session.set({ ...session.get(), offered: undefined });
}

export function userOf(token: string | undefined): TokenUser | undefined {
  return token === undefined ? undefined : readClaims(token, settings.userClaim);
}

/** Takes the token out of the address, so that it is neither in the history nor in a shared link. */
export function takeTokenFromAddress(): string | undefined {
  const offered = tokenInFragment(location.hash);
  if (offered !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return offered;
}

/** Uses the token of a link, and asks before if it is that of another user. */
export function offerToken(offered: string | undefined): void {
  if (offered === undefined) return;
  const { token, user } = session.get();
  const userId = userOf(offered)?.userId;
  if (token === undefined || (userId !== undefined && userId === user?.userId)) signIn(offered);
  else if (token !== offered) session.set({ ...session.get(), offered });
}
