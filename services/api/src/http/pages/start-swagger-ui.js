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

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
darkScheme.addEventListener('change', useColorScheme);
useColorScheme(darkScheme);

const token = takeToken();
const ui = globalThis.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#documentation',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: () => useToken(token),
});
ui.getStore().subscribe(() => void fillInCreator());
addEventListener('hashchange', () => useToken(takeToken()));
