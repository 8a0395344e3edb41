import { MAX_WAITING_JOBS } from '@ugc/api/indexing/relay';
import { IDS_PER_JOB } from '@ugc/shared/contracts/index-queue';

/** Processor time of each change, in microseconds, as measured: "Indexing beside plain _bulk" in docs/measurements/history.md. */
const COST_US = { relay: 15, claim: 20, read: 15, indexer: 80, bulk: 340, acknowledge: 20 };
const REDIS_MS = 1;
/** That of the relay. */
const COLLECT_STEP_MS = 20;
const WARM_UP_MS = 10_000;
const END_MS = 70_000;

/** `concurrency`: jobs that an indexer runs at the same time. `sharedCores`: that all processes and stores share, in place of cores of their own. `backlog`: changes at the start. */
type Setup = {
  rate: number;
  relays: number;
  indexers: number;
  concurrency: number;
  elasticsearch: number;
  postgres: number;
  sharedCores?: number;
  backlog?: number;
};

const OWN = { relays: 1, concurrency: 2, postgres: 4 };
const setups = (rate: number): Setup[] => [
  { ...OWN, rate: 0, backlog: 1_000_000, indexers: 1, elasticsearch: 2, sharedCores: 2 },
  ...[1, 2, 3, 4].map((indexers) => ({ ...OWN, rate, indexers, elasticsearch: 8 })),
  ...[2, 3, 4, 6].map((elasticsearch) => ({ ...OWN, rate, indexers: 3, elasticsearch })),
  { ...OWN, rate, indexers: 1, concurrency: 5, elasticsearch: 8 },
  { ...OWN, rate, relays: 4, indexers: 3, elasticsearch: 8 },
  { ...OWN, rate: 0, backlog: 5_000_000, indexers: 12, elasticsearch: 64, postgres: 16 },
];

/**
 * Simulates the way of changes from the outbox to the index: relays, queue, indexers and stores, with the processor time
 * that each step was measured to take. A bulk request is the work of one core, because one thread writes to a shard.
 * Prints what each number of indexers and cores indexes. The first row has been measured too.
 */
export function simulateIndexing(rate: number): void {
  console.table(
    setups(rate).map((setup) => {
      const { sharedCores, indexers, concurrency, relays, elasticsearch } = setup;
      const cores = sharedCores === undefined ? elasticsearch : `${sharedCores} for all`;
      const what = { arrive: setup.rate || 'a backlog', relays, indexers, concurrency, 'cores of Elasticsearch': cores };
      return { ...what, ...new Simulation(setup).run() };
    }),
  );
}

/** Changes that were committed in the same millisecond. */
type Arrived = { atMs: number; count: number };
type Job = { count: number; arrived: Arrived[] };
/** Yields the time at which it continues, in milliseconds. */
type Process = Generator<number, void, void>;

/** Cores that serve requests in the order of their arrival. */
class Cores {
  readonly #freeAtMs: number[];
  busyMs = 0;

  constructor(count: number) {
    this.#freeAtMs = Array.from({ length: count }, () => 0);
  }

  /** @returns when the work ends */
  use(nowMs: number, workMs: number): number {
    const first = this.#freeAtMs.indexOf(Math.min(...this.#freeAtMs));
    const endMs = Math.max(nowMs, this.#freeAtMs[first] ?? 0) + workMs;
    this.#freeAtMs[first] = endMs;
    this.busyMs += workMs;
    return endMs;
  }

  get busy(): number {
    return Number((this.busyMs / END_MS / this.#freeAtMs.length).toFixed(2));
  }
}

class Simulation {
  readonly #setup: Setup;
  readonly #postgres: Cores;
  readonly #elasticsearch: Cores;
  readonly #relays: Cores[];
  readonly #indexers: Cores[];
  readonly #pending: Arrived[] = [];
  readonly #waiting: Job[] = [];
  readonly #latenciesMs: Arrived[] = [];
  #now = 0;
  #works = 0;

  constructor(setup: Setup) {
    this.#setup = setup;
    const shared = setup.sharedCores === undefined ? undefined : new Cores(setup.sharedCores);
    const cores = (count: number): Cores => shared ?? new Cores(count);
    this.#postgres = cores(setup.postgres);
    this.#elasticsearch = cores(setup.elasticsearch);
    this.#relays = Array.from({ length: setup.relays }, () => cores(1));
    this.#indexers = Array.from({ length: setup.indexers }, () => cores(1));
    if (setup.backlog) this.#pending.push({ atMs: 0, count: setup.backlog });
  }

  run(): Record<string, number> {
    const processes = [
      this.#uploads(),
      ...this.#relays.map((core) => this.#relay(core)),
      ...this.#indexers.flatMap((core) => Array.from({ length: this.#setup.concurrency }, () => this.#indexer(core))),
    ].map((process) => ({ process, atMs: 0 }));
    while (this.#now < END_MS) {
      const next = processes.reduce((first, other) => (other.atMs < first.atMs ? other : first));
      this.#now = next.atMs;
      next.atMs = next.process.next().value ?? Infinity;
    }
    return this.#figures();
  }

  *#uploads(): Process {
    for (let carry = 0; ;) {
      carry += this.#setup.rate / 1_000;
      const count = Math.floor(carry);
      carry -= count;
      if (count > 0) this.#pending.push({ atMs: this.#now, count });
      yield this.#now + 1;
    }
  }

  /** Each upload wakes it. While jobs wait, it collects changes for a full job. */
  *#relay(core: Cores): Process {
    for (;;) {
      yield this.#now + REDIS_MS;
      const atLeast = this.#waiting.length > 0 ? IDS_PER_JOB : 1;
      const due = this.#pending.reduce((sum, { count }) => sum + count, 0);
      if (this.#waiting.length >= MAX_WAITING_JOBS || due < atLeast) {
        yield this.#now + COLLECT_STEP_MS;
        continue;
      }
      const job = this.#claim();
      yield this.#postgres.use(this.#now, this.#workMs('claim', job.count));
      yield core.use(this.#now, this.#workMs('relay', job.count));
      yield this.#now + REDIS_MS;
      this.#waiting.push(job);
    }
  }

  #claim(): Job {
    const job: Job = { count: 0, arrived: [] };
    for (let oldest = this.#pending[0]; oldest && job.count < IDS_PER_JOB; oldest = this.#pending[0]) {
      const count = Math.min(oldest.count, IDS_PER_JOB - job.count);
      job.arrived.push({ ...oldest, count });
      job.count += count;
      oldest.count -= count;
      if (oldest.count === 0) this.#pending.shift();
    }
    return job;
  }

  *#indexer(core: Cores): Process {
    for (;;) {
      const job = this.#waiting.shift();
      yield this.#now + REDIS_MS;
      if (!job) continue;
      yield this.#postgres.use(this.#now, this.#workMs('read', job.count));
      yield core.use(this.#now, this.#workMs('indexer', job.count));
      yield this.#elasticsearch.use(this.#now, this.#workMs('bulk', job.count));
      yield this.#postgres.use(this.#now, this.#workMs('acknowledge', job.count));
      if (this.#now < WARM_UP_MS) continue;
      this.#latenciesMs.push(...job.arrived.map(({ atMs, count }) => ({ atMs: this.#now - atMs, count })));
    }
  }

  /** From half to one and a half times the mean, the same in each run. */
  #workMs(step: keyof typeof COST_US, count: number): number {
    this.#works += 1;
    return (COST_US[step] / 1_000) * count * (0.5 + ((this.#works * Math.SQRT2) % 1));
  }

  #figures(): Record<string, number> {
    const indexed = this.#latenciesMs.reduce((sum, { count }) => sum + count, 0);
    const sorted = this.#latenciesMs.toSorted((one, other) => one.atMs - other.atMs);
    const percentile = (part: number): number => {
      let seen = 0;
      return Math.round(sorted.find(({ count }) => (seen += count) >= part * indexed)?.atMs ?? NaN);
    };
    const most = (cores: Cores[]): number => Math.max(...cores.map(({ busy }) => busy));
    return {
      'indexed/s': Math.round((indexed * 1_000) / (END_MS - WARM_UP_MS)),
      // Changes of a backlog wait for those before them.
      ...(this.#setup.backlog ? {} : { 'p50 ms': percentile(0.5), 'p99 ms': percentile(0.99) }),
      'pending at the end': this.#pending.reduce((sum, { count }) => sum + count, 0),
      'relay busy': most(this.#relays),
      'PostgreSQL busy': this.#postgres.busy,
      'indexers busy': most(this.#indexers),
      'Elasticsearch busy': this.#elasticsearch.busy,
    };
  }
}
