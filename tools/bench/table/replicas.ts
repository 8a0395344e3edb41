import { availableParallelism } from 'node:os';
import type { Figure, Section } from './figure.ts';
import { measurePair } from './pair.ts';
import { getRequests, LISTS, listRequests } from './requests.ts';

/**
 * The same connections spread over two API processes, beside one of them. The load, the stores and both processes share
 * the cores of this machine: the figure says what a second process costs here, not what it adds on a machine of its own.
 */
export const measureReplicas: Section = async ({ stack, rounds }) => {
  const { apis, api, postgres, elasticsearchServer } = stack.cluster;
  const pair = { ours: apis, limit: api, limitedBy: 'one of the two processes', goal: { atLeast: 0.8 }, warmUpSeconds: 15 };
  const list = {
    path: 'list of 10, two API processes',
    store: elasticsearchServer,
    requests: listRequests(stack, LISTS[0]?.queries ?? []),
  };
  return [
    withCores(await measurePair({ ...pair, path: 'get one, two API processes', store: postgres, requests: getRequests(stack) }, rounds)),
    withCores(await measurePair({ ...pair, ...list }, rounds)),
  ];
};

function withCores(figure: Figure): Figure {
  return { ...figure, details: { ...figure.details, 'cores shared by load, APIs and stores': availableParallelism() } };
}
