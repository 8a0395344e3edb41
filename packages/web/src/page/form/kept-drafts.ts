import { onSignOut, session } from '../token/session.ts';

const KEY = 'drafts';

/** What was typed into closed forms, by the name of the form: that of one user only. It never has a token. */
type Kept = { account?: string | undefined; drafts: Record<string, object> };

let kept = (JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Kept | null) ?? { drafts: {} };

export function keptDraft<T extends object>(form: string): T | undefined {
  return ownDrafts()[form] as T | undefined;
}

/** @param draft undefined if there is nothing to keep */
export function keepDraft(form: string, draft: object | undefined): void {
  const { [form]: _, ...drafts } = ownDrafts();
  kept = { account: session.get().user?.account, drafts: draft ? { ...drafts, [form]: draft } : drafts };
}

function ownDrafts(): Kept['drafts'] {
  return session.get().user?.account === kept.account ? kept.drafts : {};
}

onSignOut(() => {
  kept = { drafts: {} };
  store();
});

// Not with each key: a draft may have a megabyte. A phone may end a page that is hidden.
addEventListener('pagehide', store);
document.addEventListener('visibilitychange', store);
// The browser asks whoever leaves the page whether what they typed may be lost, and the sign-in does not leave it by itself.
for (const name of ['beforeunload', 'may-leave']) addEventListener(name, (event) => store() || event.preventDefault());

/** @returns whether everything is kept: it may be too large, and then ends with the page */
function store(): boolean {
  try {
    if (Object.keys(kept.drafts).length > 0) sessionStorage.setItem(KEY, JSON.stringify(kept));
    else sessionStorage.removeItem(KEY);
    return true;
  } catch {
    return false;
  }
}
