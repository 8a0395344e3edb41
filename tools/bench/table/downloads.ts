import { withRedis } from '../../../test/support/servers/redis.ts';
import { checkOutRelease, startRelease } from '../../../test/support/cluster/release.ts';
import { hasCommit, newestRelease } from '../../../test/run/history.ts';
import { tokenOf } from '../../../test/support/http/tokens.ts';
import type { Section } from './figure.ts';
import { measurePair, type Requests } from './pair.ts';

/** More than download the item in a round, so that each download is the first of its user. No user needs a row. */
const VISITORS = 20_000;
const FIRST_VISITOR = 1_000_000;

/** Downloads of one item, which wait for each other, beside the API of the newest release on the same stores. */
export const measureDownloads: Section = async ({ stack: { cluster }, rounds }) => {
  const { version, commit } = newestRelease() ?? { version: '', commit: '' };
  if (!hasCommit(commit)) throw new Error(`the commit of the release ${version} is missing: git fetch --unshallow`);
  const release = await startRelease(await checkOutRelease(commit), `${cluster.dataDir}/release`, cluster.env, 0);
  const [limit = cluster.api] = release.apis;
  const pair = { ours: cluster.api, limit, store: cluster.postgres, limitedBy: `the API of ${version}`, goal: { atLeast: 0.91 } };
  const requests = await downloadRequests();
  const figure = await measurePair(
    { ...pair, path: 'download of one item', requests, afterRound: () => forgetEvents(cluster.env) },
    rounds,
  );
  await release.stop();
  return [figure];
};

async function downloadRequests(): Promise<Requests> {
  const visitors = Array.from({ length: VISITORS }, (_, n) => FIRST_VISITOR + n);
  const tokens = await Promise.all(visitors.map((visitor) => tokenOf(visitor)));
  return tokens.map((token) => ({ method: 'POST', path: '/api/content/1/downloads', headers: { authorization: `Bearer ${token}` } }));
}

/** The next round has the same users. */
async function forgetEvents({ REDIS_URL, QUEUE_PREFIX = 'ugc' }: { REDIS_URL?: string; QUEUE_PREFIX?: string }): Promise<void> {
  await withRedis(REDIS_URL, async (redis) => {
    for await (const keys of redis.scanStream({ match: `${QUEUE_PREFIX}:events:*`, count: 1_000 }))
      if ((keys as string[]).length > 0) await redis.del(keys as string[]);
  });
}
