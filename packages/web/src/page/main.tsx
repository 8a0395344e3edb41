import { render } from 'preact';
import { keepFocus } from '../shared/keep-focus.ts';
import '../shared/styles/base.css';
import { App } from './app.tsx';
import { takeTokenFromAddress } from './token/session.ts';

keepFocus();
takeTokenFromAddress();
// A link that differs in the fragment only does not load the page again.
addEventListener('hashchange', takeTokenFromAddress);
render(<App />, document.body);
