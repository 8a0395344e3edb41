import { render } from 'preact';
import '../shared/styles/base.css';
import { App } from './app.tsx';

render(<App />, document.querySelector('#page') as HTMLElement);
