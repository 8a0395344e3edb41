import { createStore } from '../../shared/store.ts';
import { mayKnowUser } from '../../sign-in/known-user.ts';
import { settings } from '../settings.ts';
import { readClaims, tokenInFragment, type TokenUser } from './claims.ts';

const KEY = 'token';
const SIGNED_IN = 'is-signed-in';

export type Session = {
  /** Undefined: the page asks for one. */
  token: string | undefined;
  user: TokenUser | undefined;
  /** Another token that came with a link. It is used only if the user agrees: else a link could change who uploads. */
  offered: string | undefined;
  /** The API no longer accepts the token. */
  isRefused: boolean;
  /** Whether the provider has issued the token for this page, so that it can issue another one. */
  isSignedIn: boolean;
  /** Counts what must be read again: a renewed token changes nothing that the page shows. */
  signIns: number;
};

const stored = sessionStorage.getItem(KEY) ?? undefined;
export const session = createStore<Session>({
  token: stored,
  user: userOf(stored),
  offered: undefined,
  isRefused: false,
  isSignedIn: sessionStorage.getItem(SIGNED_IN) !== null,
  signIns: 0,
});

/** In sessionStorage, a token ends with its tab and is not sent along like a cookie. @param isSignedIn unless it was pasted */
export function signIn(token: string, isSignedIn = false): void {
  sessionStorage.setItem(KEY, token);
  if (isSignedIn) sessionStorage.setItem(SIGNED_IN, 'yes');
  else sessionStorage.removeItem(SIGNED_IN);
  start({ token, user: userOf(token), isSignedIn });
}

export function signOut(): void {
  sessionStorage.removeItem(KEY);
  sessionStorage.removeItem(SIGNED_IN);
  start({ token: undefined, user: undefined, isSignedIn: false });
}

function start(next: Pick<Session, 'token' | 'user' | 'isSignedIn'>): void {
  session.set({ ...next, offered: undefined, isRefused: false, signIns: session.get().signIns + 1 });
}

/** Continues with a newer token of the same user. What the old one could not read is read now. */
export function replaceToken(token: string): void {
  sessionStorage.setItem(KEY, token);
  const { user, isRefused, signIns, ...others } = session.get();
  const next = user && { ...user, expiresAt: userOf(token)?.expiresAt };
  session.set({ ...others, token, user: next, isRefused: false, signIns: signIns + Number(isRefused) });
}

/** Calls the listener with the session before when there is another token, or none any more. */
export function onTokenChange(listener: (before: Session) => void): void {
  let known = session.get();
  session.subscribe(() => {
    const before = known;
    known = session.get();
    if (before.token !== known.token) listener(before);
  });
}

/** Calls the listener when a user has signed out. Whoever drops a refused token, which has probably expired, has not. */
export function onSignOut(listener: (before: Session) => void): void {
  onTokenChange((before) => {
    if (session.get().token === undefined && !before.isRefused) listener(before);
  });
}

export function refuseToken(token: string | undefined): void {
  if (token === session.get().token) session.set({ ...session.get(), isRefused: true });
}

export function declineOffer(): void {
  session.set({ ...session.get(), offered: undefined });
}

export function userOf(token: string | undefined): TokenUser | undefined {
  return token === undefined ? undefined : readClaims(token, settings);
}

/** Takes the token out of the address, so that it is neither in the history nor in a shared link. */
export function takeTokenFromAddress(): string | undefined {
  const offered = tokenInFragment(location.hash);
  if (offered !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return offered;
}

/** Uses the token of a link, and asks before if it is that of another user, or would end a sign-in at the provider. */
export function offerToken(offered: string | undefined): void {
  if (offered === undefined) return;
  const { token, user, isSignedIn } = session.get();
  const other = userOf(offered);
  const isFree = token === undefined && !(settings.signIn && mayKnowUser());
  if (isFree || (other && other.account === user?.account && !isSignedIn)) signIn(offered);
  else if (token !== offered) session.set({ ...session.get(), offered });
}
