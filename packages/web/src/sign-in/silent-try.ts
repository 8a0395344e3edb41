import { needsUser } from './problems.ts';
import type { Returned } from './pending.ts';

/**
 * A provider may ignore `prompt=none`, as Dex does, and show its form: to leave the page without a click would then end at
 * this form. So the page remembers of each provider whether a try without the user has ever come back as such.
 */
const KEY = 'silent-sign-in';
const [SILENT, NOT] = ['yes', 'no'];
/** Nobody can have answered a form so soon after the page was left. */
const SOON_MS = 1_000;

/** Also before the first try. */
export function mayTrySilently(issuer: string): boolean {
  return localStorage.getItem(keyOf(issuer)) !== NOT;
}

/** Until it comes back, it counts as one that did not. */
export function noteSilentTry(issuer: string): void {
  if (localStorage.getItem(keyOf(issuer)) !== SILENT) localStorage.setItem(keyOf(issuer), NOT);
}

export function noteReturn(issuer: string, returned: Returned): void {
  if (isSilent(returned)) localStorage.setItem(keyOf(issuer), SILENT);
}

function keyOf(issuer: string): string {
  return `${KEY} ${issuer}`;
}

/**
 * Whether the provider has answered without asking the user. The page that the provider shows takes a navigation of its own
 * back to this one; redirects are part of the navigation that has left it, however long they take.
 */
export function isSilent({ parameters, pending, navigatedMs }: Returned): boolean {
  if (!pending?.isSilent) return false;
  const error = parameters.get('error');
  return error === null ? navigatedMs - pending.leftMs < SOON_MS : needsUser({ error });
}
