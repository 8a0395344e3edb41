import { ADMIN } from './keycloak.ts';

const REALM = 'people';
const PAGE_CLIENT = 'ugc-page';
const AUDIENCE = 'ugc';
export const PASSWORD = 'Correct-horse-7';
/** Both are called the same. Only Boris is a moderator. */
const PEOPLE = [
  { username: 'ada', firstName: 'Ada', lastName: 'Lovelace' },
  { username: 'boris', firstName: 'Ada', lastName: 'Lovelace' },
];

export type Realm = {
  issuer: string;
  /** Changes settings of the page's client. */
  changeClient(changes: object): Promise<void>;
  /** Changes settings of the realm, such as the lifetime of tokens. */
  change(changes: object): Promise<void>;
};

/** The variables of the service, as the two tables of docs/operating.md name them. */
export function settingsOf({ issuer }: Realm): Record<string, string> {
  return {
    JWT_JWKS_URL: `${issuer}/protocol/openid-connect/certs`,
    JWT_ISSUER: issuer,
    JWT_AUDIENCE: AUDIENCE,
    USERS_FROM_TOKENS: 'true',
    OIDC_CLIENT_ID: PAGE_CLIENT,
  };
}

type Named = { id: string; name?: string; username?: string };

/** Makes what "Signing in on the web page" in docs/operating.md says, by the requests of the admin console. */
export async function makeRealm(keycloakUrl: string, pageUrl: string): Promise<Realm> {
  const ask = asAdmin(keycloakUrl);
  await ask('POST', '', { realm: REALM, enabled: true });
  const realm = (method: string, path: string, body?: object) => ask(method, `/${REALM}${path}`, body);
  await realm('POST', '/clients', {
    clientId: PAGE_CLIENT,
    protocol: 'openid-connect',
    publicClient: true,
    standardFlowEnabled: true,
    directAccessGrantsEnabled: false,
    redirectUris: [pageUrl],
    webOrigins: [new URL(pageUrl).origin],
    attributes: { 'post.logout.redirect.uris': pageUrl, 'pkce.code.challenge.method': 'S256' },
  });
  const [client] = (await realm('GET', `/clients?clientId=${PAGE_CLIENT}`)) as [Named];
  await realm('POST', `/clients/${client.id}/protocol-mappers/models`, {
    name: 'audience of the API',
    protocol: 'openid-connect',
    protocolMapper: 'oidc-audience-mapper',
    config: { 'included.custom.audience': AUDIENCE, 'access.token.claim': 'true', 'id.token.claim': 'false' },
  });
  const moderator = await addModerators(realm, client.id);
  for (const person of PEOPLE) {
    const credentials = [{ type: 'password', value: PASSWORD, temporary: false }];
    await realm('POST', '/users', { ...person, email: `${person.username}@example.com`, emailVerified: true, enabled: true, credentials });
  }
  const idOf = async (username: string): Promise<string> =>
    ((await realm('GET', `/users?username=${username}&exact=true`)) as [Named])[0].id;
  await realm('POST', `/users/${await idOf('boris')}/role-mappings/realm`, [moderator]);
  return {
    issuer: `${keycloakUrl}/realms/${REALM}`,
    changeClient: async (changes) => {
      await realm('PUT', `/clients/${client.id}`, { ...((await realm('GET', `/clients/${client.id}`)) as object), ...changes });
    },
    change: async (changes) => void (await realm('PUT', '', changes)),
  };
}

type Ask = (method: string, path: string, body?: object) => Promise<unknown>;

/** Who has the role of the client scope gets the scope. @returns the role */
async function addModerators(realm: Ask, clientId: string): Promise<Named> {
  await realm('POST', '/roles', { name: 'moderator' });
  const role = (await realm('GET', '/roles/moderator')) as Named;
  await realm('POST', '/client-scopes', {
    name: 'content:moderate',
    protocol: 'openid-connect',
    attributes: { 'include.in.token.scope': 'true' },
  });
  const scopes = (await realm('GET', '/client-scopes')) as Named[];
  const scope = scopes.find(({ name }) => name === 'content:moderate');
  await realm('POST', `/client-scopes/${scope?.id}/scope-mappings/realm`, [role]);
  await realm('PUT', `/clients/${clientId}/default-client-scopes/${scope?.id}`, {});
  return role;
}

/** An administrator's token ends after a minute, so each request has its own. */
function asAdmin(keycloakUrl: string): Ask {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${await adminToken(keycloakUrl)}`, 'content-type': 'application/json' };
    const response = await fetch(`${keycloakUrl}/admin/realms${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
}

async function adminToken(keycloakUrl: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMIN });
  const response = await fetch(`${keycloakUrl}/realms/master/protocol/openid-connect/token`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}
