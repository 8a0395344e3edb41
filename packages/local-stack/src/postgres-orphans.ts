import { createHash } from 'node:crypto';
import { killAll } from './process-family.ts';
import { commandLine, processTable } from './process-table.ts';

/** The name PostgreSQL puts into the title of each of its processes; one per data folder. */
export function clusterName(data: string): string {
  return `ugc-${createHash('sha256').update(data).digest('hex').slice(0, 12)}`;
}

/** Ends busy backends that outlived a killed server: as long as one runs, no server starts on their data. */
export async function endOrphans(data: string): Promise<void> {
  const title = `postgres: ${clusterName(data)}: `;
  await killAll(processTable().filter(({ pid }) => commandLine(pid).startsWith(title)));
}
