import { editTenth, startBenchStack, type BenchStack } from './bench-stack.ts';
import { untilIdle } from './bulk-limit.ts';
import { summaryOf, type Figure, type Section } from './figure.ts';
import { listBesideUploadsMs } from './lists-beside-uploads.ts';
import { CONNECTIONS, measureServer, type Requests } from './pair.ts';
import { getRequests, LISTS, listRequests, uploadRequests } from './requests.ts';

const FEW_ITEMS = 10_000;
/** While the requests of a row are new to a stack, its servers still compile the code that handles them. */
const WARM_UP_SECONDS = 60;

/** `timeOf` returns milliseconds. `prepare` changes a stack before it is measured. */
type Row = {
  name: string;
  atMost: number;
  timeOf: (stack: BenchStack, seconds?: number) => Promise<number>;
  prepare?: (stack: BenchStack) => Promise<void>;
};

const ROWS: Row[] = [
  { name: 'get one', atMost: 1.1, timeOf: timeOf(getRequests) },
  ...LISTS.slice(0, 2).map(({ path, queries }) => ({
    name: path,
    atMost: 1.5,
    timeOf: timeOf((stack) => listRequests(stack, queries)),
  })),
  { name: 'list of 10 beside 50 uploads/s', atMost: 1.5, timeOf: listBesideUploadsMs },
  { name: 'upload', atMost: 1.1, timeOf: timeOf(uploadRequests) },
  {
    name: 'list of 10 beside uploads, after a tenth of the items was edited',
    atMost: 1.5,
    timeOf: listBesideUploadsMs,
    prepare: editTenth,
  },
];

/** The time of a request with all items beside that of a second stack with 10,000 items. */
export const measureGrowth: Section = async ({ stack, rounds }) => {
  const few = await startBenchStack(FEW_ITEMS);
  const figures: Figure[] = [];
  for (const { name, atMost, timeOf, prepare } of ROWS) {
    for (const each of [few, stack]) await prepare?.(each);
    for (const each of [few, stack]) await untilIdle(each.cluster.elasticsearch);
    for (const each of [few, stack]) await timeOf(each, WARM_UP_SECONDS);
    const measured = [];
    for (let round = 0; round < rounds; round += 1) measured.push({ ours: await timeOf(stack), limit: await timeOf(few) });
    const path = `${name}, ${stack.items.toLocaleString('en')} items`;
    const limitedBy = `itself with ${FEW_ITEMS.toLocaleString('en')} items`;
    const figure: Figure = { path, unit: 'ms', limitedBy, goal: { atMost }, rounds: measured };
    figures.push(figure);
    // A row of a large collection takes minutes.
    process.stderr.write(`${path}: ${JSON.stringify(summaryOf(figure))}\n`);
  }
  await few.cluster.stop();
  return figures;
};

function timeOf(requestsTo: (stack: BenchStack) => Requests): Row['timeOf'] {
  return async (stack, seconds = 3) => {
    const { perSecond } = await measureServer(stack.cluster.api, { requests: requestsTo(stack), store: undefined, seconds });
    // Otherwise these uploads are indexed while the other stack is measured.
    await stack.cluster.indexed();
    return (CONNECTIONS * 1_000) / perSecond;
  };
}
