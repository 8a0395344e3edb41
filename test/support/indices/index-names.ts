import type { Cluster } from '../cluster/cluster.ts';

/** The names of all indices of a cluster, searched or not. */
export async function indexNames({ elasticsearch, env }: Pick<Cluster, 'elasticsearch' | 'env'>): Promise<string[]> {
  return Object.keys(await elasticsearch.indices.get({ index: `${env['CONTENT_ALIAS']}*` }));
}
