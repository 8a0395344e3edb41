import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { familyOf, stopFamily } from './process-family.ts';
import { commandLine, processTable } from './process-table.ts';
import { StackError } from './stack-error.ts';
import { writeWhole } from './whole-file.ts';

type Record = { pid: number; owner: number; ownerStarted: string };

/** Records which process uses a data folder, and which process started it. */
export function writePidFile(dataDir: string, pid: number): void {
  const record: Record = { pid, owner: process.pid, ownerStarted: startOf(process.pid) };
  writeWhole(pidFile(dataDir), JSON.stringify(record));
}

export function removePidFile(dataDir: string): void {
  rmSync(pidFile(dataDir), { force: true });
}

/**
 * Stops a server that an earlier run left running on this data folder.
 * @throws StackError when the process that started the server still runs
 */
export async function endLeftover(name: string, dataDir: string, stopSignal: NodeJS.Signals): Promise<void> {
  const record = readPidFile(dataDir);
  if (record === undefined) return;
  if (isStillUsing(record.pid, dataDir)) {
    assertNotOwned(record, name, dataDir);
    await stopFamily(record.pid, stopSignal, 20_000);
  }
  removePidFile(dataDir);
}

function readPidFile(dataDir: string): Record | undefined {
  try {
    return JSON.parse(readFileSync(pidFile(dataDir), 'utf8')) as Record;
  } catch {
    return undefined;
  }
}

// Process ids are reused: the server is recognized by the data folder on its command line.
function isStillUsing(pid: number, dataDir: string): boolean {
  return familyOf(pid).some((member) => commandLine(member.pid).includes(dataDir));
}

function assertNotOwned({ owner, ownerStarted }: Record, name: string, dataDir: string): void {
  if (owner === process.pid || startOf(owner) !== ownerStarted) return;
  throw new StackError(`${name} already runs on ${dataDir}, started by process ${owner}: stop that process first.`);
}

export function startOf(pid: number): string {
  return processTable().find((entry) => entry.pid === pid)?.started ?? '';
}

function pidFile(dataDir: string): string {
  return join(dataDir, 'server.pid');
}
