import { keepFocus } from '../shared/keep-focus.ts';
import { showPage } from '../shared/show-page.ts';
import '../shared/styles/base.css';
import { learnOwnUser } from './api/own-user.ts';
import { App } from './app.tsx';
// Signing out drops what was typed, also while no form is loaded.
import './form/kept-drafts.ts';
import { LEFT_DELETION } from './item/left-deletion.ts';
import { declaredFields } from './location/declared-fields.ts';
import { startFoot } from './foot.ts';
import { loadParts } from './later.tsx';
import { settings } from './settings.ts';
import { askOtherTabs, shareToken } from './token/other-tabs.ts';
import { offerToken, onTokenChange, session, takeTokenFromAddress } from './token/session.ts';
import { signInProblem, startSignIn } from './token/sign-in.ts';

declaredFields.push(...settings.fields);
keepFocus();
const offered = takeTokenFromAddress();
if (session.get().token === undefined) {
  // What asks for a token, if no tab has one. `Later` says if it cannot be loaded.
  void loadParts().catch(() => undefined);
  await askOtherTabs();
}
shareToken();
offerToken(offered);
// A link that differs in the fragment only does not load the page again.
addEventListener('hashchange', () => offerToken(takeTokenFromAddress()));
if (!(await startSignIn())) start();

/** Continues with a deletion that could not be sent when the page was left. */
function resume(): void {
  if (sessionStorage.getItem(LEFT_DELETION) !== null)
    loadParts().then(
      ({ resumeDeletion }) => resumeDeletion(),
      // It stays where it is kept.
      () => undefined,
    );
}

function start(): void {
  learnOwnUser();
  resume();
  onTokenChange(() => {
    // Why the token before was none, or not valid, is over.
    signInProblem.set(undefined);
    learnOwnUser();
    resume();
  });
  showPage(<App />);
  startFoot();
}
