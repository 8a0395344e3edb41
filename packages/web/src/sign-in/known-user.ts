/**
 * Whether somebody has signed in with this browser, so that the provider may know the user: 'no' after it did not. It is no
 * secret.
 */
const KEY = 'signed-in';

export const mayKnowUser = (): boolean => localStorage.getItem(KEY) === 'yes';
export const setKnown = (mayKnow: boolean): void => localStorage.setItem(KEY, mayKnow ? 'yes' : 'no');
export const forgetUser = (): void => localStorage.removeItem(KEY);

/**
 * Calls the listener when another tab has forgotten the user; at once, or when the page is back, if that was while this tab
 * was discarded or its page was in the history.
 */
export function onForgotten(listener: () => void): void {
  const check = (): void => {
    if (localStorage.getItem(KEY) === null) listener();
  };
  check();
  addEventListener('pageshow', check);
  addEventListener('storage', ({ key, newValue }) => {
    if (key === KEY && newValue === null) listener();
  });
}
