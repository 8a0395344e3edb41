import type { ProviderMetadata } from '@ugc/shared/contracts/sign-in';
import { readJsonText } from '@ugc/shared/process/json-values';
import { logRepeated, type Log } from '@ugc/shared/process/log';
import { storeTimeout } from '@ugc/shared/timing/timeouts';
import { z } from 'zod';
import type { ApiEnv } from '../env.ts';
import { PROVIDER_LIMITS } from './keys.ts';

const TIMEOUT_MS = 1_500;
const REMEMBERED_MS = 600_000;
/** Pause after a failure, so that not every request for the page waits for a provider that is down. */
const RETRY_AFTER_MS = 5_000;

/**
 * Learns the endpoints of the provider by OpenID Connect Discovery. The page cannot: its policy allows requests to the
 * token endpoint only, which may be on another host than the issuer. Once known, they are used until newer ones are.
 * @returns a function that resolves to undefined while they are not known
 */
export function providerFinder(
  { JWT_ISSUER: issuer = '' }: Pick<ApiEnv, 'JWT_ISSUER'>,
  log: Log,
): () => Promise<ProviderMetadata | undefined> {
  const warn = logRepeated((failure) => log.warn(failure, 'the provider of JWT_ISSUER does not tell its endpoints: users cannot sign in'));
  let known: ProviderMetadata | undefined;
  let askAgainMs = 0;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    try {
      const found = await discover(issuer);
      // The same object stands for the same page.
      if (JSON.stringify(found) !== JSON.stringify(known)) known = found;
      askAgainMs = performance.now() + REMEMBERED_MS;
    } catch (error) {
      askAgainMs = performance.now() + RETRY_AFTER_MS;
      warn(error);
    }
  };
  return async () => {
    if (performance.now() >= askAgainMs) asking ??= ask().finally(() => (asking = undefined));
    if (!known) await asking;
    return known;
  };
}

/** @throws Error */
async function discover(issuer: string): Promise<ProviderMetadata> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(storeTimeout(TIMEOUT_MS)) });
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
  return parseMetadata(JSON.parse(await readJsonText(response, PROVIDER_LIMITS)), issuer);
}

/** @throws z.ZodError if the metadata are of another issuer, or name endpoints without TLS although the issuer has it */
export function parseMetadata(metadata: unknown, issuer: string): ProviderMetadata {
  const isAllowed = (text: string): boolean => {
    const url = URL.parse(text);
    const protocols = issuer.startsWith('http:') ? ['http:', 'https:'] : ['https:'];
    return url !== null && protocols.includes(url.protocol) && url.username === '' && url.password === '' && url.hash === '';
  };
  const endpoint = z.string().refine(isAllowed, 'must be an https URL');
  return z
    .object({
      issuer: z.literal(issuer),
      authorization_endpoint: endpoint,
      token_endpoint: endpoint,
      end_session_endpoint: endpoint.optional(),
      authorization_response_iss_parameter_supported: z.boolean().optional(),
    })
    .parse(metadata);
}
