import type { Cluster } from '../../../test/support/cluster/cluster.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../../test/support/jest/until.ts';
import { median, percentile } from '../percentile.ts';
import type { BenchStack, BenchUser } from './bench-stack.ts';
import type { Figure, Section } from './figure.ts';

const REFRESH_INTERVAL_MS = 1_000;
const WAITED_MS = 150;
const UPLOADS_PER_SECOND = 50;
const SECONDS = 10;
const LOOK_EVERY_MS = 20;
const WAITING_UPLOADS = 10;
/** Longer than the refresh interval, so that each upload finds an idle stack. */
const PAUSE_MS = 1_200;

/** The time until uploads are searchable: of many uploads, and of one that waits for it. */
export const measureFreshness: Section = async ({ stack, rounds }) => {
  // The first one only warms up Elasticsearch, which compiles its code.
  await uploadSteadily(stack);
  const steady = await inRounds(rounds, async () => {
    const { durationsMs, failed } = await uploadSteadily(stack);
    if (failed > 0) throw new Error(`${failed} uploads failed`);
    return durationsMs;
  });
  const waiting = await inRounds(rounds, () => uploadAndWait(stack));
  const seconds = `${UPLOADS_PER_SECOND} uploads/s`;
  return [
    durationFigure(`commit to searchable, ${seconds}`, steady, { limitMs: REFRESH_INTERVAL_MS, share: 0.99, atMost: 1.25 }),
    durationFigure('upload with Prefer: wait, idle', waiting, { limitMs: WAITED_MS, share: 0.5, atMost: 1 }),
  ];
};

async function inRounds(rounds: number, measure: () => Promise<number[]>): Promise<number[][]> {
  const results: number[][] = [];
  for (let round = 0; round < rounds; round += 1) results.push(await measure());
  return results;
}

type Goal = { limitMs: number; share: number; atMost: number };

function durationFigure(path: string, rounds: number[][], { limitMs, share, atMost }: Goal): Figure {
  const middle = (of: number): number => Math.round(median(rounds.map((durations) => percentile(durations, of))));
  return {
    path,
    unit: 'ms',
    limitedBy: `${limitMs} ms`,
    rounds: rounds.map((durations) => ({ ours: percentile(durations, share), limit: limitMs })),
    goal: { atMost },
    details: { 'p50 ms': middle(0.5), 'p99 ms': middle(0.99), 'max ms': middle(1) },
  };
}

/** `durationsMs`: how long each upload took to become searchable. `failed`: how many were not stored. */
export type SteadyUploads = { durationsMs: number[]; failed: number };

export async function uploadSteadily(stack: Pick<BenchStack, 'cluster' | 'users'>, perSecond = UPLOADS_PER_SECOND): Promise<SteadyUploads> {
  const uploads = new Uploads(stack.cluster);
  const endsAt = performance.now() + SECONDS * 1_000;
  const looking = uploads.lookUntilAllFound(endsAt);
  for (let n = 0, at = performance.now(); at < endsAt; n += 1, at += 1_000 / perSecond) {
    await delay(Math.max(0, at - performance.now()));
    void uploads.send(stack.users[n % stack.users.length] as BenchUser);
  }
  await looking;
  return uploads;
}

/**
 * Looks for uploads every 20 ms, so that a duration is at most 20 ms and one search (about 3 ms) too long. The search
 * names the ids that are not found yet and loads no documents. Because the index has a `refresh_interval` of its own,
 * a search never causes a refresh. A duration begins when the response arrives, shortly after the commit.
 */
class Uploads {
  readonly durationsMs: number[] = [];
  failed = 0;
  readonly #cluster: Cluster;
  readonly #committedAt = new Map<string, number>();
  #sending = 0;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async send(user: BenchUser): Promise<void> {
    this.#sending += 1;
    try {
      const id = await upload(this.#cluster, user);
      this.#committedAt.set(String(id), performance.now());
    } catch {
      this.failed += 1;
    }
    this.#sending -= 1;
  }

  async lookUntilAllFound(endsAt: number): Promise<void> {
    for (let at = performance.now(); performance.now() < endsAt || this.#sending + this.#committedAt.size > 0; at += LOOK_EVERY_MS) {
      await delay(Math.max(0, at - performance.now()));
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    for (const id of await findItems(this.#cluster, [...this.#committedAt.keys()])) {
      this.durationsMs.push(performance.now() - (this.#committedAt.get(id) ?? 0));
      this.#committedAt.delete(id);
    }
  }
}

/** @returns the response times of uploads that wait, each sent when nothing else happens @throws if one is not found */
async function uploadAndWait({ cluster, users }: BenchStack): Promise<number[]> {
  const durations: number[] = [];
  for (let n = 0; n < WAITING_UPLOADS; n += 1) {
    await delay(PAUSE_MS);
    const startedAt = performance.now();
    const id = await upload(cluster, users[n] as BenchUser, { prefer: 'wait=10' });
    durations.push(performance.now() - startedAt);
    if ((await findItems(cluster, [String(id)])).length === 0) throw new Error('an upload with Prefer: wait is not searchable');
  }
  await until('all are indexed', async () => (await cluster.database.query('select from index_outbox limit 1')).length === 0);
  return durations;
}

async function upload({ api }: Cluster, { userId, authorization }: BenchUser, headers = {}): Promise<number> {
  const response = await fetch(`${api.url}/content`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ creatorId: userId, name: 'fresh', description: 'just uploaded', version: 1, data: '', tags: ['fresh'] }),
  });
  if (response.status !== 201) throw new Error(`an upload returned ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { content_id: number }).content_id;
}

/** @returns those of the ids that searches find */
async function findItems({ elasticsearch, env }: Cluster, ids: string[]): Promise<string[]> {
  const { hits } = await elasticsearch.search({
    index: env['CONTENT_ALIAS'] ?? '',
    size: ids.length,
    _source: false,
    query: { ids: { values: ids } },
  });
  return hits.hits.map(({ _id: id }) => id ?? '');
}
