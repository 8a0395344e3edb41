import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export type ProcessEntry = { pid: number; parent: number; group: number; started: string };

/** All running processes, without zombies. */
export function processTable(): ProcessEntry[] {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

export function parentOf(pid: number): number | undefined {
  if (process.platform === 'linux') return statEntry(String(pid))?.parent;
  return processTable().find((entry) => entry.pid === pid)?.parent;
}

export function commandLine(pid: number): string {
  try {
    if (process.platform !== 'linux') return ps(['-ww', '-o', 'args=', '-p', String(pid)]);
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

// Slim Linux images do not contain ps.
function fromProc(): ProcessEntry[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(statEntry).filter((entry) => entry !== undefined);
}

function statEntry(pid: string): ProcessEntry | undefined {
  const [state, parent, group, ...rest] = statFields(pid) ?? ['X'];
  if (state === 'Z' || state === 'X') return undefined;
  return { pid: Number(pid), parent: Number(parent), group: Number(group), started: rest[16] ?? '' };
}

/** The fields of /proc/PID/stat from the third one on. */
export function statFields(pid: string): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in parentheses, which may itself contain spaces and parentheses (proc_pid_stat(5)).
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function fromPs(): ProcessEntry[] {
  const lines = ps(['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart=']).split('\n');
  const rows = lines.map((line) => line.trim().split(/\s+/)).filter(([pid, , , state]) => pid && !state?.startsWith('Z'));
  return rows.map(([pid, parent, group, , ...started]) => ({
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    started: started.join(' '),
  }));
}

export function ps(args: string[]): string {
  return execFileSync('ps', args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
}
