import { Counter, Histogram, type Registry } from 'prom-client';

export type RankingMetrics = ReturnType<typeof createRankingMetrics>;

export function createRankingMetrics(registry: Registry) {
  const lists = new Counter({
    name: 'ugc_search_rankings_total',
    help: 'Lists that can be ranked by meaning, by how they were ranked: semantic or lexical',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of ['semantic', 'lexical']) lists.inc({ result }, 0);
  const failures = new Counter({
    name: 'ugc_search_ranking_failures_total',
    help: 'Lists that were ranked by words because a vector was not available in time: that of the prompt, or those of the items',
    labelNames: ['kind'],
    registers: [registry],
  });
  for (const kind of ['prompt', 'items']) failures.inc({ kind }, 0);
  const promptDuration = new Histogram({
    name: 'ugc_search_prompt_embedding_seconds',
    help: 'Duration of the embedding of a prompt',
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    registers: [registry],
  });
  return { lists, failures, promptDuration };
}
