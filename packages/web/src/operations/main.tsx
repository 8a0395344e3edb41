import { render } from 'preact';
import '../shared/styles/base.css';

render(<main>Operations</main>, document.body);
