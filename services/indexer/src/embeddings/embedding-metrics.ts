import { Counter, type Registry } from 'prom-client';

export type EmbeddingMetrics = ReturnType<typeof createEmbeddingMetrics>;

export function createEmbeddingMetrics(registry: Registry) {
  const texts = new Counter({
    name: 'ugc_embedding_texts_total',
    help: 'Texts of items, by what the embedding service did: embedded, refused, or failed, after which they are retried',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of ['embedded', 'refused', 'failed']) texts.inc({ result }, 0);
  return { texts };
}
