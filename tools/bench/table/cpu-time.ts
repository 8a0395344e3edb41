import { readdirSync, readFileSync } from 'node:fs';
import type { Server } from '@ugc/local-stack/server';

/** USER_HZ, which is 100 on all common builds of Linux. */
const TICKS_PER_SECOND = 100;

/** @returns user and system time of the server and its children, also of those that have ended, in seconds; 0 if it is not running */
export function cpuSeconds(server: Pick<Server, 'pid'> | undefined): number {
  const pid = server?.pid();
  return pid === undefined ? 0 : familyOf(pid).reduce((sum, member) => sum + ticksOf(member), 0) / TICKS_PER_SECOND;
}

function familyOf(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statOf(Number(name))[1] === String(pid));
  return [pid, ...children.map(Number).flatMap(familyOf)];
}

function ticksOf(pid: number): number {
  const stat = statOf(pid);
  return [11, 12, 13, 14].reduce((sum, field) => sum + Number(stat[field] ?? 0), 0);
}

/** The fields of /proc/PID/stat after the name: state, parent, …, user time (11), system time (12), those of ended children (13, 14). */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    // The process has ended.
    return [];
  }
}
