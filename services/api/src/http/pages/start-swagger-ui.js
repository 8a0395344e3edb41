// Runs in the browser, after Swagger UI.

/** Removes the token of `/docs#token=...` from the address, which browsers remember and people share. */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname);
  return token;
}

/** Keeps the token in memory only. Replaces one after asking, else a link could make users act as somebody else. */
function useToken(token) {
  if (token === null) return;
  const hasToken = ui.authSelectors.authorized().has('bearer');
  if (!hasToken || confirm('Replace the token of this page by that of the link?')) ui.preauthorizeApiKey('bearer', token);
}

/** Swagger UI has dark colours, and leaves it to the page to turn them on. */
function useColorScheme({ matches }) {
  document.documentElement.classList.toggle('dark-mode', matches);
}

const UPLOAD = ['/content', 'post'];

/** What the upload would send, with this creator. @returns undefined if somebody has made it something else than JSON */
function withCreator(body, creatorId) {
  try {
    return JSON.stringify({ ...JSON.parse(body), creatorId }, null, 2);
  } catch {
    return undefined;
  }
}

let tokenOfCreator;

/** Called for each change of the page. An upload for another user than that of the token would be a 403. */
async function fillInCreator() {
  const token = ui.authSelectors.authorized().getIn(['bearer', 'value']);
  if (token === undefined || token === tokenOfCreator) return;
  tokenOfCreator = token;
  const response = await fetch('api/users/me', { headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) return;
  const { userId } = await response.json();
  // The example, which is shown when the operation is opened, and the text of an operation that is open.
  const document = ui.specSelectors.specJson().toJS();
  document.paths['/content'].post.requestBody.content['application/json'].example.creatorId = userId;
  ui.specActions.updateJsonSpec(document);
  const value = withCreator(ui.getState().getIn(['oas3', 'requestData', ...UPLOAD, 'bodyValue']), userId);
  if (value !== undefined) ui.oas3Actions.setRequestBodyValue({ value, pathMethod: UPLOAD });
}

/** The kinds of errors are in a list that is closed, and `type` of an error leads to one of them. */
function showSection() {
  const section = document.getElementById(location.hash.slice(1));
  const list = section?.closest('details');
  if (!list) return;
  list.open = true;
  section.scrollIntoView();
}

addEventListener('hashchange', showSection);
showSection();

/**
 * What Swagger UI leaves without a name or a role, names otherwise than it is written, or keeps from the keys:
 * https://github.com/swagger-api/swagger-ui/issues/10697
 */
const ATTRIBUTES = [
  ['.body-param__text', 'aria-label', () => 'Request body'],
  ['.examples-select-element', 'aria-label', () => 'Example'],
  ['tr[data-param-name] :is(input, select, textarea)', 'aria-label', (control) => control.closest('tr').dataset.paramName],
  ['.responses-table[role="region"]', 'aria-label', (table) => `Responses of ${operationOf(table)}`],
  ['.modal-ux', 'role', () => 'dialog'],
  ['.modal-ux', 'aria-label', () => 'Authorize'],
  ['.modal-ux .close-modal', 'aria-label', () => 'Close'],
  ['.modal-ux .modal-btn', 'aria-label', (button) => button.textContent],
  ['.modal-ux h6', 'aria-level', () => '5'],
  ['pre', 'tabindex', () => '0'],
];

function operationOf(part) {
  const { textContent } = part.closest('.opblock').querySelector('.opblock-summary-control');
  return textContent.trim();
}

function completeAttributes() {
  for (const [selector, name, valueOf] of ATTRIBUTES)
    for (const element of document.querySelectorAll(`.swagger-ui ${selector}`)) {
      const value = valueOf(element);
      if (element.getAttribute(name) !== value) element.setAttribute(name, value);
    }
}

/**
 * The operations inside of the `main` of this page. Its guide has the name, the description and the address of the service,
 * which the usual layout would repeat. The name of an operation is no link, since it is in a button:
 * https://github.com/swagger-api/swagger-ui/issues/10704
 */
function ownLayout({ React: { createElement: h } }) {
  const Layout = ({ getComponent }) => {
    const part = (name) => h(getComponent(name, true));
    const wrap = (className, ...parts) => h('div', { className }, ...parts);
    const authorize = wrap('scheme-container', wrap('schemes wrapper', part('AuthorizeBtnContainer')));
    return wrap('swagger-ui', part('SvgAssets'), authorize, part('errors'), wrap('wrapper', part('operations'), part('Models')));
  };
  const Name = ({ text }) => h('span', null, text);
  return { components: { OwnLayout: Layout }, wrapComponents: { DeepLink: () => Name } };
}

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
darkScheme.addEventListener('change', useColorScheme);
useColorScheme(darkScheme);

const token = takeToken();
const ui = globalThis.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#documentation',
  layout: 'OwnLayout',
  plugins: [ownLayout],
  deepLinking: true,
  syntaxHighlight: { theme: 'obsidian' },
  displayRequestDuration: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: () => useToken(token),
});
new MutationObserver(completeAttributes).observe(document.getElementById('documentation'), { childList: true, subtree: true });
ui.getStore().subscribe(() => void fillInCreator());
addEventListener('hashchange', () => useToken(takeToken()));
