import { indexContent } from '@ugc/indexer/jobs/index-content';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { createLog } from '@ugc/shared/process/log';
import { claimDue, type Claim } from '@ugc/shared/outbox/outbox';
import { runSteps } from '@ugc/shared/process/shutdown';
import { randomUUID } from 'node:crypto';
import type { Service } from './service.ts';

/** From here on the test hands out and delivers jobs itself. */
export async function stopDelivery({ api, indexer }: Service): Promise<void> {
  await runSteps(createLog('test', 'silent'), [...api.shutdown.slice(1, 2), ...indexer.shutdown.slice(0, 1)]);
}

export function claimAll({ database }: Pick<Service, 'database'>): Promise<Claim[]> {
  return claimDue(database, randomUUID(), 1_000);
}

/** Delivers everything that is due. */
export async function deliverAll(service: Pick<Service, 'database' | 'elasticsearch'>): Promise<void> {
  for (let jobs = await claimAll(service); jobs.length > 0; jobs = await claimAll(service))
    for (const job of jobs) await indexContent(service, job);
}

/** Delivers a job; `meanwhile` happens after its rows were read and before anything is written. */
export async function deliver(
  { database, elasticsearch }: Pick<Service, 'database' | 'elasticsearch'>,
  job: Claim,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const bulk = async (request: Parameters<Elasticsearch['bulk']>[0]) => {
    await meanwhile();
    return elasticsearch.bulk(request);
  };
  await indexContent({ database, elasticsearch: Object.create(elasticsearch, { bulk: { value: bulk } }) }, job);
}
