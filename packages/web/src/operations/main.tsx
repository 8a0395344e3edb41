import '../shared/styles/base.css';
import { showPage } from '../shared/show-page.ts';
import { App } from './app.tsx';

showPage(<App />);
