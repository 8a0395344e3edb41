import { uploadSteadily } from '../table/freshness.ts';
import { summaryOf, type Figure, type Round } from '../table/figure.ts';
import { median, percentile } from '../percentile.ts';
import { CHANGES, startChanges } from './changes.ts';
import { get } from './in-turn.ts';
import type { Side, Sides } from './side.ts';

const REFRESH_INTERVAL_MS = 1_000;
const SEARCHABLE_AT_MOST = 1.25;
const LIST_AT_MOST = 1.5;
const MEASURED_UPLOADS_PER_SECOND = 10;
const LISTS = 100;
const PAGES = 20;

/** Lists, and the time from the commit to the search that finds an upload, while items are uploaded, edited and downloaded. */
export async function besideChanges({ sides }: Sides, rounds: number): Promise<Figure[]> {
  const [ours, limit] = sides as [Side, Side];
  const lists: Round[] = [];
  const searchable: { ours: number[]; limit: number[] }[] = [];
  let failed = 0;
  for (let round = 0; round < rounds; round += 1) {
    const of = async (side: Side) => {
      const changes = await startChanges(side);
      const listMs = await medianOfLists(side);
      const uploads = await uploadSteadily(side, MEASURED_UPLOADS_PER_SECOND);
      failed += uploads.failed + (await changes.end());
      return { listMs, searchableMs: uploads.durationsMs };
    };
    const first = await of(round % 2 === 0 ? ours : limit);
    const second = await of(round % 2 === 0 ? limit : ours);
    const [many, few] = round % 2 === 0 ? [first, second] : [second, first];
    lists.push({ ours: many.listMs, limit: few.listMs });
    searchable.push({ ours: many.searchableMs, limit: few.searchableMs });
  }
  const { uploads, edits, downloads } = CHANGES;
  const beside = (perSecond: number): string => `beside ${perSecond} uploads, ${edits} edits and ${downloads} downloads/s`;
  const middle = (side: keyof Round, share: number): number => Math.round(median(searchable.map((each) => percentile(each[side], share))));
  const figures: Figure[] = [
    { path: `list of 10 ${beside(uploads)}`, unit: 'ms', limitedBy: limit.title, goal: { atMost: LIST_AT_MOST }, rounds: lists },
    {
      path: `commit to searchable ${beside(uploads + MEASURED_UPLOADS_PER_SECOND)}`,
      unit: 'ms',
      limitedBy: `${REFRESH_INTERVAL_MS} ms`,
      goal: { atMost: SEARCHABLE_AT_MOST },
      rounds: searchable.map((each) => ({ ours: percentile(each.ours, 0.99), limit: REFRESH_INTERVAL_MS })),
      details: {
        'p50 ms': middle('ours', 0.5),
        'p99 ms': middle('ours', 0.99),
        'p50 ms with few items': middle('limit', 0.5),
        'p99 ms with few items': middle('limit', 0.99),
        failed,
      },
    },
  ];
  for (const figure of figures) process.stderr.write(`${figure.path}: ${JSON.stringify({ ...summaryOf(figure), ...figure.details })}\n`);
  return figures;
}

/** The pages are read in turn, so that a refresh has ended what is cached of each. */
async function medianOfLists(side: Side): Promise<number> {
  const request = get((n) => `/api/content?page=${n % PAGES}`);
  const durations: number[] = [];
  for (let n = 0; n < LISTS; n += 1) {
    const startedAt = performance.now();
    await request(side, n);
    durations.push(performance.now() - startedAt);
  }
  return median(durations);
}
