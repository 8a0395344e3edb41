import type { Figure, Section } from './figure.ts';
import { CONNECTIONS, measureServer, type Requests } from './pair.ts';
import { getRequests, LISTS, listRequests, uploadRequests } from './requests.ts';

/** More connections beside 16: the rate must not fall, and p99 must grow at most in proportion. */
export const measureConnections: Section = async ({ stack, rounds }) => {
  const rows = [
    { name: 'get one', connections: 256, requests: getRequests(stack) },
    { name: 'list of 10', connections: 256, requests: listRequests(stack, LISTS[0]?.queries ?? []) },
    { name: 'upload', connections: 64, requests: uploadRequests(stack) },
  ];
  const figures: Figure[] = [];
  for (const row of rows) figures.push(...(await measureRow(row, { stack, rounds })));
  return figures;
};

type Row = { name: string; connections: number; requests: Requests };

async function measureRow({ name, connections, requests }: Row, { stack, rounds }: Parameters<Section>[0]): Promise<Figure[]> {
  const { api } = stack.cluster;
  const measure = (count: number) => measureServer(api, { requests, store: undefined, connections: count });
  await measure(connections);
  const measured = [];
  for (let round = 0; round < rounds; round += 1) measured.push({ ours: await measure(connections), limit: await measure(CONNECTIONS) });
  const path = `${name}, ${connections} connections`;
  const limitedBy = `itself with ${CONNECTIONS} connections`;
  const failed = measured.reduce((sum, { ours, limit }) => sum + ours.failed + limit.failed, 0);
  return [
    {
      path,
      unit: 'requests/s',
      limitedBy,
      goal: { atLeast: 1 },
      rounds: measured.map(({ ours, limit }) => ({ ours: ours.perSecond, limit: limit.perSecond })),
      details: { failed },
    },
    {
      path: `${path}, p99`,
      unit: 'ms',
      limitedBy,
      goal: { atMost: connections / CONNECTIONS },
      rounds: measured.map(({ ours, limit }) => ({ ours: ours.p99Ms, limit: limit.p99Ms })),
    },
  ];
}
