import { withTimeout } from '@ugc/shared/timing/with-timeout';
import { createContent } from './content/create-content.ts';
import { contentReader, getContent } from './content/get-content.ts';
import { Problem } from './http/problem.ts';
import { parseQuery } from './http/query-parameters.ts';
import type { ContentDeps } from './routes/route-helpers.ts';
import { listParameters } from './search/list-parameters.ts';
import { searchContent } from './search/search-content.ts';

/** Also while a store hangs, the process starts after this time. */
const WARM_UP_MAX_MS = 1_000;
const TIMES = 8;
/** No user has this id, so that nothing is found and nothing is stored. */
const NOBODY = 0;
const UPLOAD = { creatorId: NOBODY, name: '', description: '', version: 1, data: '', tags: [], thumbnail: undefined };

/**
 * Does the work of frequent requests before the process accepts any, and changes nothing: it connects to the stores,
 * prepares statements, and compiles code. A store that is unavailable does not keep the process from starting.
 */
export async function warmUp(deps: ContentDeps): Promise<void> {
  const work = [
    () => getContent(contentReader(deps.database), NOBODY),
    () => createContent(deps.database, UPLOAD),
    () => list(deps, 'size=10'),
    () => list(deps, 'size=10&prompt=warm+up'),
  ];
  await withTimeout(WARM_UP_MAX_MS, Promise.allSettled(work.map(repeat)));
}

async function repeat(work: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < TIMES; n += 1) await work().catch(throwUnlessProblem);
}

/** A problem, such as an item that does not exist, is the response to a request that was handled. */
function throwUnlessProblem(error: unknown): void {
  if (!(error instanceof Problem)) throw error;
}

async function list(deps: ContentDeps, query: string): Promise<void> {
  const reservation = deps.traffic.lists.reserve(NOBODY);
  const client = { reservation, startDeepPage: () => deps.traffic.deepPages.start(NOBODY), disconnected: new AbortController().signal };
  await searchContent(deps, parseQuery(listParameters(deps.limits), query), client).finally(reservation.release);
}
