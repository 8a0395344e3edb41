import { createStore } from '../../shared/store.ts';
import { settings } from '../settings.ts';
import { readClaims, tokenInFragment, type TokenUser } from './claims.ts';

const KEY = 'token';
const ID_TOKEN = 'id-token';

export type SignedIn = {
  /** Undefined: the page asks for one. */
  token: string | undefined;
  user: TokenUser | undefined;
  /** Another token that came with a link. It is used only if the user agrees: else a link could change who uploads. */
  offered: string | undefined;
  /** The API no longer accepts the token. */
  isRefused: boolean;
  /** The ID token if the provider has issued the token for this page, so that it can issue another one, and end its session. */
  idToken: string | undefined;
  /** Counts what must be read again: a renewed token changes nothing that the page shows. */
  signIns: number;
};

const stored = sessionStorage.getItem(KEY) ?? undefined;
export const session = createStore<SignedIn>({
  token: stored,
  user: userOf(stored),
  offered: undefined,
  isRefused: false,
  idToken: sessionStorage.getItem(ID_TOKEN) ?? undefined,
  signIns: 0,
});

/** In sessionStorage, a token ends with its tab and is not sent along like a cookie. @param idToken undefined if it was pasted */
export function signIn(token: string, idToken?: string): void {
  keep(token, idToken);
  start({ token, user: userOf(token), idToken });
}

function keep(token: string, idToken: string | undefined): void {
  sessionStorage.setItem(KEY, token);
  if (idToken === undefined) sessionStorage.removeItem(ID_TOKEN);
  else sessionStorage.setItem(ID_TOKEN, idToken);
}

export function signOut(): void {
  sessionStorage.removeItem(KEY);
  sessionStorage.removeItem(ID_TOKEN);
  start({ token: undefined, user: undefined, idToken: undefined });
}

function start(next: Pick<SignedIn, 'token' | 'user' | 'idToken'>): void {
  session.set({ ...next, offered: undefined, isRefused: false, signIns: session.get().signIns + 1 });
}

/** Continues with a newer token of the same user. What the old one could not read is read now. */
export function replaceToken(token: string, idToken: string | undefined): void {
  keep(token, idToken);
  const { user, isRefused, signIns, ...others } = session.get();
  const next = user && { ...user, expiresAt: userOf(token)?.expiresAt };
  session.set({ ...others, token, idToken, user: next, isRefused: false, signIns: signIns + Number(isRefused) });
}

/** Calls the listener with the session before when there is another token, or none any more. */
export function onTokenChange(listener: (before: SignedIn) => void): void {
  let known = session.get();
  session.subscribe(() => {
    const before = known;
    known = session.get();
    if (before.token !== known.token) listener(before);
  });
}

/** Calls the listener when a user has signed out. Whoever drops a refused token, which has probably expired, has not. */
export function onSignOut(listener: (before: SignedIn) => void): void {
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

/** Uses the token of a link, and asks before if it is that of another user, or if users sign in: whoever sent it may be anybody. */
export function offerToken(offered: string | undefined): void {
  if (offered === undefined) return;
  const { token, user } = session.get();
  const other = userOf(offered);
  if (!settings.signIn && (token === undefined || (other && other.account === user?.account))) signIn(offered);
  else if (token !== offered) session.set({ ...session.get(), offered });
}
