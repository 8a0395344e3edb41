import { EmbeddingServer } from '../servers/embedding-server.ts';
import { until } from '../jest/until.ts';
import type { Environment } from './environment.ts';
import { startService, type Service } from './service.ts';

export type SemanticService = Service & {
  embeddings: EmbeddingServer;
  /** Waits until all items are searchable and embedded, and the model is searched. */
  embedded(): Promise<void>;
};

/** Far more than a loaded machine needs. */
const TIMEOUTS = { EMBEDDINGS_TIMEOUT_MS: '30000' };

/** Starts a service with an embedding service of its own. */
export async function startSemanticService(overrides: Environment = {}): Promise<SemanticService> {
  const embeddings = await EmbeddingServer.start();
  const service = await startService({ EMBEDDINGS_URL: embeddings.url, ...TIMEOUTS, ...overrides });
  const stop = async (): Promise<void> => {
    await service.stop();
    await embeddings.stop();
  };
  const embedded = async (): Promise<void> => {
    await service.indexed();
    await until('all items are embedded', async () => (await countWork(service)) === 0);
  };
  return { ...service, embeddings, stop, embedded };
}

async function countWork({ database }: Service): Promise<number> {
  const [row] = await database.query<{ open: number }>(
    `select (select count(*) from embedding_work) + (select count(*) from embedding_model where state = 'next')
       + (select count(*) from content c where deleted_at is null and not exists (select from embedding e where e.content_id = c.content_id))
       + (select 1 - count(*) from embedding_model where state = 'search') as open`,
  );
  return row?.open ?? 1;
}
