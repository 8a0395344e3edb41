import { createHash } from 'node:crypto';
import { killAll } from './process-family.ts';
import { commandLine, processTable } from './process-table.ts';

/** The cluster_name of a data folder; PostgreSQL puts it into the title of each of its processes. */
export function clusterName(data: string): string {
  return `ugc-${createHash('sha256').update(data).digest('hex').slice(0, 12)}`;
}

/**
 * Kills backends that still run after their server was killed: until they end, no server can start on the same data.
 */
export async function endOrphans(data: string): Promise<void> {
  const title = `postgres: ${clusterName(data)}: `;
  await killAll(processTable().filter(({ pid }) => commandLine(pid).startsWith(title)));
}
