import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import type { Cluster } from '../../../test/support/cluster/cluster.ts';
import { cpuSeconds } from './cpu-time.ts';

const SAMPLE_EVERY_MS = 50;

/** Duration, and the CPU time of a program, the API processes, PostgreSQL and Elasticsearch meanwhile, in seconds. */
export type Work = { seconds: number; own: number; apis: number; postgres: number; elasticsearch: number };

export async function measureWork(cluster: Cluster, program: { pid(): number | undefined }, work: () => Promise<void>): Promise<Work> {
  const before = readCpu(cluster);
  const ownBefore = cpuSeconds(program);
  let own = ownBefore;
  // The CPU time of a program that has ended can no longer be read.
  const sampling = setInterval(() => (own = Math.max(own, cpuSeconds(program))), SAMPLE_EVERY_MS);
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  clearInterval(sampling);
  const after = readCpu(cluster);
  return {
    seconds,
    own: own - ownBefore,
    apis: after.apis - before.apis,
    postgres: after.postgres - before.postgres,
    elasticsearch: after.elasticsearch - before.elasticsearch,
  };
}

/** Measures a program until it ends. @throws if it fails */
export function measureProcess(cluster: Cluster, child: ChildProcess): Promise<Work> {
  return measureWork(cluster, { pid: () => child.pid }, async () => {
    const [code] = (await once(child, 'exit')) as [number];
    if (code !== 0) throw new Error(`the program exited with code ${code}`);
  });
}

function readCpu({ apis, postgres, elasticsearchServer }: Cluster): Omit<Work, 'seconds' | 'own'> {
  return {
    apis: apis.reduce((sum, api) => sum + cpuSeconds(api), 0),
    postgres: cpuSeconds(postgres),
    elasticsearch: cpuSeconds(elasticsearchServer),
  };
}
