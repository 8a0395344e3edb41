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

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
darkScheme.addEventListener('change', useColorScheme);
useColorScheme(darkScheme);

const token = takeToken();
const ui = globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#documentation',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: () => useToken(token),
});
addEventListener('hashchange', () => useToken(takeToken()));
