import { onSignOut, onTokenChange, session, signIn, signOut } from './session.ts';

/** `usedAt` tells when the tab was last visible. */
type Message =
  | { ask: number }
  | { signedIn: true }
  | { answer: number; token: string; idToken: string | undefined; usedAt: number }
  | { forget: string | undefined; account: string | undefined };

/** Enough for open tabs to answer. Until a token is pasted, a later answer counts, too. */
const ANSWERS_MS = 100;

const channel = new BroadcastChannel('token');
const question = Math.random();
let newest = 0;
let isWaiting = false;
let hiddenAt = 1;

/**
 * Gets the token from an open tab, so that links can be opened in new ones. It is kept by tabs only, so it is gone with the
 * last of them. Of several users, the one of the tab that was used last counts.
 */
export async function askOtherTabs(): Promise<void> {
  isWaiting = true;
  ask();
  await new Promise((resolve) => setTimeout(resolve, ANSWERS_MS));
  isWaiting = false;
}

/** Signs in to all tabs without a token, and out of all tabs of the same user. */
export function shareToken(): void {
  addEventListener('visibilitychange', () => (hiddenAt = Date.now()));
  onTokenChange(({ token }) => {
    if (token === undefined) post({ signedIn: true });
  });
  onSignOut(({ token, user }) => post({ forget: token, account: user?.account }));
}

channel.onmessage = ({ data }: MessageEvent<Message>) => {
  if ('ask' in data) answer(data.ask);
  else if ('signedIn' in data) ask();
  else if ('forget' in data) forget(data.forget, data.account);
  else if (data.answer === question) receive(data);
};

function post(message: Message): void {
  channel.postMessage(message);
}

function ask(): void {
  if (session.get().token !== undefined) return;
  newest = 0;
  post({ ask: question });
}

function answer(asked: number): void {
  const { token, user, isRefused, idToken } = session.get();
  if (token === undefined || isRefused || (user?.expiresAt ?? Infinity) <= Date.now()) return;
  const usedAt = document.visibilityState === 'visible' ? Infinity : hiddenAt;
  post({ answer: asked, token, idToken, usedAt });
}

function forget(forgotten: string | undefined, account: string | undefined): void {
  const { token, user } = session.get();
  if (forgotten === token || (account !== undefined && account === user?.account)) signOut();
}

function receive({ token, idToken, usedAt }: Extract<Message, { answer: number }>): void {
  if (usedAt <= newest || (session.get().token !== undefined && !isWaiting)) return;
  newest = usedAt;
  signIn(token, idToken);
}
