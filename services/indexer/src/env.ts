import { embeddingsFields } from '@ugc/shared/embeddings/embeddings-env';
import { integer, storeEnv } from '@ugc/shared/config/env';
import { tracingFields } from '@ugc/shared/tracing/start-tracing';
import type { z } from 'zod';

export const IndexerEnv = storeEnv.extend({
  INDEXER_PORT: integer(0, 65_535, 9465).describe("the indexer's port for /health and /metrics"),
  ...embeddingsFields,
  ...tracingFields,
});
export type IndexerEnv = z.infer<typeof IndexerEnv>;
