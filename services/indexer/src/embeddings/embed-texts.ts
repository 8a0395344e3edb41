import { EmbeddingFailed, type EmbeddingService } from '@ugc/shared/embeddings/embedding-service';
import type { Generation } from '@ugc/shared/embeddings/generations';
import type { Work } from './claim-work.ts';

/** A large model takes some seconds for 32 long texts. */
const TIMEOUT_MS = 30_000;
const PROBE = 'text';
/** After so many failures of its own, a text counts as refused. */
const MAX_ATTEMPTS = 4;

/** `failed`: the service embeds other texts, but not this one; it is retried. */
export type Outcome = { work: Work } & ({ vector: Float32Array } | { refused: string } | { failed: string });

type EmbedDeps = { service: EmbeddingService; generation: Generation; signal: AbortSignal };

/**
 * Embeds the texts in one request. If the service refuses it, the texts that cause this are found by halving.
 * @throws EmbeddingFailed if the service does not work, whatever the text
 */
export async function embedTexts(deps: EmbedDeps, work: Work[]): Promise<Outcome[]> {
  try {
    const vectors = await embed(deps, work.map(({ text }) => text)); // prettier-ignore
    return work.flatMap((one, at) => (vectors[at] ? [{ work: one, vector: vectors[at] }] : []));
  } catch (error) {
    const [only, ...others] = work;
    if (!(error instanceof EmbeddingFailed) || !only) throw error;
    if (error.mustWait) throw error;
    if (others.length === 0) return [await refuse(deps, only, error)];
    if (!isOfText(error)) throw error;
    const half = Math.ceil(work.length / 2);
    return [...(await embedTexts(deps, work.slice(0, half))), ...(await embedTexts(deps, work.slice(half)))];
  }
}

/** A service that does not even embed the probe is down, or configured wrongly. */
async function refuse(deps: EmbedDeps, work: Work, error: EmbeddingFailed): Promise<Outcome> {
  await embed(deps, [PROBE]);
  if (isOfText(error)) return embedAgain(deps, work);
  const reason = reasonOf(error);
  return work.attempts + 1 < MAX_ATTEMPTS ? { work, failed: reason } : { work, refused: reason };
}

/** The service may have begun to work between the text and the probe. */
async function embedAgain(deps: EmbedDeps, work: Work): Promise<Outcome> {
  try {
    const [vector] = await embed(deps, [work.text]);
    return vector ? { work, vector } : { work, failed: 'the response has no vector' };
  } catch (error) {
    if (!(error instanceof EmbeddingFailed) || !isOfText(error)) throw error;
    return { work, refused: reasonOf(error) };
  }
}

function isOfText({ isRefusal, isInvalid }: EmbeddingFailed): boolean {
  return isRefusal || isInvalid;
}

function reasonOf({ message, errorCode }: EmbeddingFailed): string {
  return errorCode === undefined ? message : `${message}: ${errorCode}`;
}

function embed({ service, generation, signal }: EmbedDeps, texts: string[]): Promise<Float32Array[]> {
  const prefixed = texts.map((text) => `${generation.textPrefix}${text.toWellFormed()}`);
  return service.embed(prefixed, generation, { timeoutMs: TIMEOUT_MS, signal });
}
