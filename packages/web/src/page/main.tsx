import { render } from 'preact';
import '../shared/styles/base.css';

render(<main>Collection</main>, document.body);
