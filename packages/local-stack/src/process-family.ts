import { setTimeout as sleep } from 'node:timers/promises';
import { processTable, type ProcessEntry } from './process-table.ts';

/** The members of a process group and all their descendants: PostgreSQL's backends leave the group. */
export function familyOf(leader: number): ProcessEntry[] {
  const table = processTable();
  const found = new Set(table.filter(({ pid, group }) => pid === leader || group === leader));
  for (const member of found) {
    for (const entry of table) if (entry.parent === member.pid) found.add(entry);
  }
  return [...found];
}

/** Sends SIGSTOP, SIGCONT and SIGKILL to the whole family, and any other signal to the leader, which forwards it. */
export function signalFamily(leader: number, name: NodeJS.Signals): void {
  send(leader, name);
  if (!['SIGSTOP', 'SIGCONT', 'SIGKILL'].includes(name)) return;
  for (const { pid } of familyOf(leader)) if (pid !== leader) send(pid, name);
}

export async function killFamily(leader: number): Promise<void> {
  // The leader is stopped first, since it could start another child after the family was listed.
  signalFamily(leader, 'SIGSTOP');
  await killAll(familyOf(leader));
}

export async function killAll(members: ProcessEntry[]): Promise<void> {
  for (const { pid } of members) send(pid, 'SIGKILL');
  await haveEnded(members, Infinity);
}

export async function stopFamily(leader: number, name: NodeJS.Signals, timeoutMs: number): Promise<void> {
  const members = familyOf(leader);
  send(leader, name);
  // A stopped process handles the signal only after SIGCONT.
  signalFamily(leader, 'SIGCONT');
  if (!(await haveEnded(members, timeoutMs))) await killFamily(leader);
}

async function haveEnded(members: ProcessEntry[], timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (members.some(isRunning(processTable()))) {
    if (performance.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}

function isRunning(table: ProcessEntry[]): (member: ProcessEntry) => boolean {
  const started = new Map(table.map((entry) => [entry.pid, entry.started]));
  return (member) => started.get(member.pid) === member.started;
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
