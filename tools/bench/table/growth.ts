import { startBenchStack, type BenchStack } from './bench-stack.ts';
import { untilIdle } from './bulk-limit.ts';
import type { Figure, Section } from './figure.ts';
import { CONNECTIONS, measureServer, type Requests } from './pair.ts';
import { getRequests, LISTS, listRequests, uploadRequests } from './requests.ts';

const FEW_ITEMS = 10_000;
/** While the requests of a row are new to a stack, its servers still compile the code that handles them. */
const WARM_UP_SECONDS = 60;

const ROWS: { name: string; atMost: number; requestsTo: (stack: BenchStack) => Requests }[] = [
  { name: 'get one', atMost: 1.1, requestsTo: getRequests },
  ...LISTS.slice(0, 2).map(({ path, queries }) => ({
    name: path,
    atMost: 1.5,
    requestsTo: (stack: BenchStack) => listRequests(stack, queries),
  })),
  { name: 'upload', atMost: 1.1, requestsTo: uploadRequests },
];

/** The time of a request with all items beside that of a second stack with 10,000 items. */
export const measureGrowth: Section = async ({ stack, rounds }) => {
  const few = await startBenchStack(FEW_ITEMS);
  for (const { cluster } of [few, stack]) await untilIdle(cluster.elasticsearch);
  const figures: Figure[] = [];
  for (const { name, atMost, requestsTo } of ROWS) {
    const timeOf = async (measured: BenchStack, seconds = 3): Promise<number> => {
      const { perSecond } = await measureServer(measured.cluster.api, { requests: requestsTo(measured), store: undefined, seconds });
      // Otherwise these uploads are indexed while the other stack is measured.
      await measured.cluster.indexed();
      return (CONNECTIONS * 1_000) / perSecond;
    };
    for (const each of [few, stack]) await timeOf(each, WARM_UP_SECONDS);
    const measured = [];
    for (let round = 0; round < rounds; round += 1) measured.push({ ours: await timeOf(stack), limit: await timeOf(few) });
    const path = `${name}, ${stack.items.toLocaleString('en')} items`;
    figures.push({
      path,
      unit: 'ms',
      limitedBy: `itself with ${FEW_ITEMS.toLocaleString('en')} items`,
      goal: { atMost },
      rounds: measured,
    });
  }
  await few.cluster.stop();
  return figures;
};
