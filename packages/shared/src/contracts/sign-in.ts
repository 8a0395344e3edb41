/** What the web page knows of the identity provider. The names are those of OpenID Connect Discovery. */
export type ProviderMetadata = {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  end_session_endpoint?: string | undefined;
  /** Whether responses must contain `iss` (RFC 9207). */
  authorization_response_iss_parameter_supported?: boolean | undefined;
};

/** What the API tells the page if users can sign in. */
export type SignInSettings = {
  /** The address of the code that is loaded for it, relative to the script of the page. */
  script: string;
  clientId: string;
  scope: string;
  audience?: string | undefined;
  /** Undefined while the provider does not tell it. */
  provider?: ProviderMetadata | undefined;
};
