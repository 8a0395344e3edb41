import { exportJWK, generateKeyPair } from 'jose';
import { Provider, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ChaosProxy } from '../cluster/chaos-proxy.ts';

export const CLIENT_ID = 'the-page';
export const AUDIENCE = 'https://ugc.test/api';

/** What tests change while it runs. */
type Behaviour = {
  lifetimeSeconds: number;
  issuesRefreshTokens: boolean;
  /** Whether the refresh tokens that were issued are accepted. */
  acceptsRefreshTokens: boolean;
  format: 'jwt' | 'opaque';
  audience: string;
  allowsOrigins: boolean;
  /** Like Dex, it shows its form although it must not ask the user. */
  ignoresPromptNone: boolean;
};
const USUAL: Behaviour = {
  lifetimeSeconds: 3_600,
  issuesRefreshTokens: true,
  acceptsRefreshTokens: true,
  format: 'jwt',
  audience: AUDIENCE,
  allowsOrigins: true,
  ignoresPromptNone: false,
};

export type IdentityProvider = {
  issuer: string;
  jwksUrl: string;
  behaviour: Behaviour;
  /** The requests for tokens, each with the error of its response. */
  tokenRequests: { grantType: string; error: string | undefined }[];
  /** Breaks and restores the network before it. */
  network: ChaosProxy;
  /** Behaves as usual again, and forgets the requests. */
  restore(): void;
  stop(): Promise<void>;
};

/** Starts an OpenID provider in this process. Anybody may sign in there, under any name, or deny it. Refresh tokens rotate. */
export async function startIdentityProvider(pageUrl: string): Promise<IdentityProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const network = await ChaosProxy.before(`http://localhost:${(server.address() as AddressInfo).port}`);
  const issuer = network.url.replace(/\/$/, '');
  const behaviour = { ...USUAL };
  const provider = new Provider(issuer, await configure(behaviour, pageUrl));
  const tokenRequests: IdentityProvider['tokenRequests'] = [];
  const note = ({ oidc }: KoaContextWithOIDC, error?: { error_detail?: string; message: string }): void =>
    void tokenRequests.push({ grantType: String(oidc.params?.['grant_type']), error: error && (error.error_detail ?? error.message) });
  provider.on('grant.success', note);
  provider.on('grant.error', note);
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (behaviour.ignoresPromptNone) request.url = request.url?.replace('prompt=none', 'prompt=login');
    void (request.url?.startsWith('/interaction/') ? interact(provider, request, response) : handle(request, response));
  });
  const restore = (): void => {
    network.restore();
    Object.assign(behaviour, USUAL);
    tokenRequests.splice(0);
  };
  const stop = async (): Promise<void> => {
    await network.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { issuer, jwksUrl: `${issuer}/jwks`, behaviour, tokenRequests, network, restore, stop };
}

async function configure(behaviour: Behaviour, pageUrl: string): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return {
    ttl: { AccessToken: () => behaviour.lifetimeSeconds, Grant: HOUR, IdToken: HOUR, Interaction: HOUR, RefreshToken: HOUR, Session: HOUR },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'key', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['of the tests'] },
    clients: [
      {
        client_id: CLIENT_ID,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [pageUrl],
        post_logout_redirect_uris: [pageUrl],
      },
    ],
    // Keycloak has the name in access tokens as well. Logins that differ in digits only have the same.
    extraTokenClaims: (_, token) => ({ name: String('accountId' in token ? token.accountId : '').replaceAll(/\d/g, '') }),
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    clientBasedCORS: () => behaviour.allowsOrigins,
    issueRefreshToken: () => behaviour.issuesRefreshTokens,
    rotateRefreshToken: () => {
      // What is thrown here is the response to the request.
      if (!behaviour.acceptsRefreshTokens) throw Object.assign(new Error('invalid_grant'), REFUSED);
      return true;
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    // Everything is consented to.
    loadExistingGrant: async ({ oidc }) => {
      const known = await oidc.provider.Grant.find(oidc.session?.grantIdFor(CLIENT_ID) ?? '');
      if (known) return known;
      const grant = new oidc.provider.Grant({ accountId: oidc.session?.accountId ?? '', clientId: CLIENT_ID });
      grant.addOIDCScope('openid profile');
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      // Like Keycloak, it does not ask whoever sends an ID token.
      rpInitiatedLogout: {
        logoutSource: (ctx, form) => void (ctx.body = page(form + (ctx.oidc.entities.IdTokenHint ? SIGNED_OUT : SIGN_OUT))),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => AUDIENCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: '',
          audience: behaviour.audience,
          accessTokenFormat: behaviour.format,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  };
}
const REFUSED = { statusCode: 400, status: 400, expose: true, error: 'invalid_grant', error_description: 'the session has ended' };

const HOUR = 3_600;

const page = (body: string): string =>
  `<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,">${body}</html>`;
const FORM = page(`<form method="post"><label>Login <input name="login"></label><button>Continue</button>
<button name="deny" value="yes">Deny</button></form>`);
const SIGN_OUT = '<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>';
const SIGNED_OUT = '<input type="hidden" form="op.logoutForm" name="logout" value="yes"><script>document.forms[0].submit()</script>';

async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') return void response.setHeader('content-type', 'text/html').end(FORM);
  const fields = new URLSearchParams(await text(request));
  // Keycloak does not describe it.
  const denied = { error: 'access_denied' };
  const result = fields.has('deny') ? denied : { login: { accountId: fields.get('login') ?? '' } };
  await provider.interactionFinished(request, response, result);
}
