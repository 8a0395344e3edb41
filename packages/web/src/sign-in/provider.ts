import type { ProviderMetadata, SignInSettings } from '@ugc/shared/contracts/sign-in';
import * as oauth from 'oauth4webapi';
import type { Pending } from './pending.ts';

/** `endsMs` is in milliseconds since 1970. */
export type Tokens = { accessToken: string; refreshToken: string | undefined; idToken: string | undefined; endsMs: number };

const TOKEN_TIMEOUT_MS = 10_000;
const REACH_TIMEOUT_MS = 3_000;
/** The clock of the user's device may differ from that of the provider by so much. */
const CLOCK_TOLERANCE_SECONDS = 300;
/** Used if the provider does not say how long a token is valid. */
const LIFETIME_SECONDS = 300;

/** The identity provider as this page sees it: all requests to it are here. */
export class Provider {
  readonly issuer: string;
  readonly #settings: SignInSettings;
  readonly #metadata: ProviderMetadata;
  readonly #client: oauth.Client;
  /** The address of the page. A public client authenticates by it, and by PKCE. */
  readonly #redirectUri = location.origin + location.pathname;

  constructor(settings: SignInSettings, metadata: ProviderMetadata) {
    this.issuer = metadata.issuer;
    this.#settings = settings;
    this.#metadata = metadata;
    this.#client = { client_id: settings.clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
  }

  /** @returns the address that asks the provider, and what must be remembered until it responds */
  async request(isSilent: boolean): Promise<{ url: string; pending: Pending }> {
    const { clientId, scope, audience } = this.#settings;
    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const url = withParameters(this.#metadata.authorization_endpoint, {
      client_id: clientId,
      redirect_uri: this.#redirectUri,
      response_type: 'code',
      scope,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(audience !== undefined && { audience }),
      ...(isSilent && { prompt: 'none' }),
    });
    const entry: unknown = isSilent ? history.state : null;
    return { url, pending: { state, nonce, verifier, view: location.search + location.hash, entry, isSilent, leftMs: Date.now() } };
  }

  /** Sends nothing if the response is an error, or of another provider. @throws the errors of oauth4webapi */
  async exchange(parameters: URLSearchParams, { state, nonce, verifier }: Pending): Promise<Tokens> {
    const [server, client, none] = this.#caller();
    const valid = oauth.validateAuthResponse(server, client, parameters, state);
    const sent = oauth.authorizationCodeGrantRequest(server, client, none, valid, this.#redirectUri, verifier, requestOptions());
    const expected = { expectedNonce: nonce, requireIdToken: true };
    return toTokens(await oauth.processAuthorizationCodeResponse(server, client, await sent, expected));
  }

  /** @throws the errors of oauth4webapi */
  async refresh(refreshToken: string): Promise<Tokens> {
    const [server, client, none] = this.#caller();
    const response = await oauth.refreshTokenGrantRequest(server, client, none, refreshToken, requestOptions());
    return toTokens(await oauth.processRefreshTokenResponse(server, client, response));
  }

  /**
   * Whether the provider responds to anything: a redirect to one that is down would leave the page for an error of the
   * browser.
   */
  isReachable(): Promise<boolean> {
    const signal = AbortSignal.timeout(REACH_TIMEOUT_MS);
    return fetch(this.#metadata.token_endpoint, { mode: 'no-cors', credentials: 'omit', cache: 'no-store', signal }).then(
      () => true,
      () => false,
    );
  }

  /** @returns undefined if the provider cannot end its session */
  signOutUrl(idToken: string | undefined): string | undefined {
    if (this.#metadata.end_session_endpoint === undefined) return undefined;
    return withParameters(this.#metadata.end_session_endpoint, {
      client_id: this.#settings.clientId,
      post_logout_redirect_uri: this.#redirectUri,
      // The name of Cognito.
      logout_uri: this.#redirectUri,
      ...(idToken !== undefined && { id_token_hint: idToken }),
    });
  }

  #caller(): [oauth.AuthorizationServer, oauth.Client, oauth.ClientAuth] {
    return [this.#metadata, this.#client, oauth.None()];
  }
}

/** The API has checked that the endpoints have TLS if the issuer has it. */
function requestOptions(): oauth.TokenEndpointRequestOptions {
  return { [oauth.allowInsecureRequests]: true, signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS) };
}

function toTokens({ access_token, refresh_token, id_token, expires_in = LIFETIME_SECONDS }: oauth.TokenEndpointResponse): Tokens {
  const endsMs = Date.now() + expires_in * 1_000;
  return { accessToken: access_token, refreshToken: refresh_token, idToken: id_token, endsMs };
}

function withParameters(address: string, parameters: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
