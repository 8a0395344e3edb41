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
 * Embeds the texts in one request. If the service refuses it, each text is sent alone.
 * @throws EmbeddingFailed if the service does not work, whatever the text
 */
export async function embedTexts(deps: EmbedDeps, work: Work[]): Promise<Outcome[]> {
  try {
    const vectors = await embed(deps, work.map(({ text }) => text)); // prettier-ignore
    return work.flatMap((one, at) => (vectors[at] ? [{ work: one, vector: vectors[at] }] : []));
  } catch (error) {
    if (!(error instanceof EmbeddingFailed) || error.mustWait) throw error;
    if (work.length > 1 && !isOfText(error)) throw error;
    const outcomes: Outcome[] = [];
    for (const one of work) outcomes.push(...(await embedAlone(deps, one)));
    return outcomes;
  }
}

async function embedAlone(deps: EmbedDeps, work: Work): Promise<Outcome[]> {
  // A service that does not even embed this is down, or configured wrongly.
  await embed(deps, [PROBE]);
  try {
    const vectors = await embed(deps, [work.text]);
    return vectors.map((vector) => ({ work, vector }));
  } catch (error) {
    if (!(error instanceof EmbeddingFailed) || error.mustWait) throw error;
    const reason = reasonOf(error);
    return isOfText(error) || work.attempts + 1 >= MAX_ATTEMPTS ? [{ work, refused: reason }] : [{ work, failed: reason }];
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
