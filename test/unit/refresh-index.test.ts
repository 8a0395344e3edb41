import { expect, it } from '@jest/globals';
import { refreshIndex } from '@ugc/shared/indices/refresh-index';

type Indices = Parameters<typeof refreshIndex>[0]['indices'];

function withShards(total: number, failed: number): { indices: Indices } {
  const refresh = () => Promise.resolve({ _shards: { total, successful: total - failed, failed } });
  return { indices: { refresh } as unknown as Indices };
}

it('a refresh that has failed in one of the shards is an error, although Elasticsearch responds with 200', async () => {
  await expect(refreshIndex(withShards(3, 1), 'content')).rejects.toThrow('1 of 3 shards of content could not be refreshed');
  await expect(refreshIndex(withShards(6, 0), 'content')).resolves.toBeUndefined();
});
