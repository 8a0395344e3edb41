import { setTimeout as sleep } from 'node:timers/promises';
import { processTable, type ProcessEntry } from './process-table.ts';

/** The members of a process's group and all they have started; PostgreSQL's backends leave the group, not the family. */
export function familyOf(leader: number): ProcessEntry[] {
  const table = processTable();
  const found = new Set(table.filter(({ pid, group }) => pid === leader || group === leader));
  for (const member of found) {
    for (const entry of table) if (entry.parent === member.pid) found.add(entry);
  }
  return [...found];
}

/** SIGSTOP, SIGCONT and SIGKILL concern the whole family; any other signal is for the leader to pass on. */
export function signalFamily(leader: number, name: NodeJS.Signals): void {
  send(leader, name);
  if (!['SIGSTOP', 'SIGCONT', 'SIGKILL'].includes(name)) return;
  for (const { pid } of familyOf(leader)) if (pid !== leader) send(pid, name);
}

export async function killFamily(leader: number): Promise<void> {
  // Stopped first, since a leader that still runs may start another child between the look and the kill.
  signalFamily(leader, 'SIGSTOP');
  await killAll(familyOf(leader));
}

export async function killAll(members: ProcessEntry[]): Promise<void> {
  for (const { pid } of members) send(pid, 'SIGKILL');
  await gone(members, Infinity);
}

export async function stopFamily(leader: number, name: NodeJS.Signals, patienceMs: number): Promise<void> {
  const members = familyOf(leader);
  send(leader, name);
  // A stopped process takes the signal only once it continues.
  signalFamily(leader, 'SIGCONT');
  if (!(await gone(members, patienceMs))) await killFamily(leader);
}

async function gone(members: ProcessEntry[], patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (members.some(lives(processTable()))) {
    if (performance.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}

function lives(table: ProcessEntry[]): (member: ProcessEntry) => boolean {
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
