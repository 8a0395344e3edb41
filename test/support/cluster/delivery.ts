import { indexContent } from '@ugc/indexer/jobs/index-content';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { claimDue, type Claim } from '@ugc/shared/outbox/claim';
import { randomUUID } from 'node:crypto';
import type { Service } from '../processes/service.ts';

/** Stops the relay and the worker, so that the test claims changes and runs jobs itself. */
export async function stopDelivery({ api, indexer }: Pick<Service, 'api' | 'indexer'>): Promise<void> {
  await Promise.all([api.relay.stop(), indexer.worker.stop()]);
}

export function claimAll({ database }: Pick<Service, 'database'>): Promise<Claim[]> {
  return claimDue(database, randomUUID(), { atMost: 1_000 });
}

/** Runs jobs until no change is due. */
export async function deliverAll(service: Pick<Service, 'database' | 'elasticsearch' | 'ownership'>): Promise<void> {
  for (let jobs = await claimAll(service); jobs.length > 0; jobs = await claimAll(service))
    for (const job of jobs) await indexContent(service, job);
}

/** Runs a job. `meanwhile` runs after the rows were read and before they are written. */
export async function deliver(
  { database, elasticsearch, ownership }: Pick<Service, 'database' | 'elasticsearch' | 'ownership'>,
  job: Claim,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  let done: Promise<unknown> | undefined;
  const bulk = async (request: Parameters<Elasticsearch['bulk']>[0]) => {
    // A rejection is confirmed by further requests.
    await (done ??= meanwhile());
    return elasticsearch.bulk(request);
  };
  await indexContent({ database, ownership, elasticsearch: Object.create(elasticsearch, { bulk: { value: bulk } }) }, job);
}

/** Stops the relay, the worker, the maintenance of the indices and the heartbeats, so that the test writes the owner's records. */
export async function stopHeartbeat({ api, indexer }: Pick<Service, 'api' | 'indexer'>): Promise<void> {
  await stopDelivery({ api, indexer });
  await Promise.all([api.heartbeat.stop(), indexer.maintenance.stop(), indexer.heartbeat.stop()]);
}
