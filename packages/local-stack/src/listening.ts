import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Account } from './account.ts';
import { familyOf } from './process-family.ts';

const run = promisify(execFile);
/** TCP_LISTEN in /proc/net/tcp. */
const LISTENING = '0A';

/**
 * Whether one of the process's family listens on the port, and not another program. Where the system does not tell it
 * counts as true.
 * @param as the account that runs the process
 */
export async function listensOn(leader: number, port: number, as: Account | undefined): Promise<boolean> {
  const pids = familyOf(leader).map(({ pid }) => pid);
  const listens = process.platform === 'linux' ? await listensByProc(pids, port, as) : await listensByLsof(pids, port);
  // Of a process that has ended meanwhile nothing could be read.
  return listens && familyOf(leader).length > 0;
}

async function listensByProc(pids: number[], port: number, as: Account | undefined): Promise<boolean> {
  const inodes = await listenersOf(port);
  const files = await Promise.all(pids.map((pid) => openFiles(pid, as)));
  const open = files.filter((each) => each !== undefined);
  if (inodes.length === 0 || open.length === 0) return true;
  return inodes.some((inode) => open.some((each) => each.includes(`socket:[${inode}]`)));
}

/** The inodes of the sockets that listen on the port. Java listens on IPv4 addresses with sockets of IPv6. */
async function listenersOf(port: number): Promise<string[]> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')));
  const rows = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)));
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return rows.filter(([, local, , state]) => state === LISTENING && local?.endsWith(suffix)).map((row) => row[9] ?? '');
}

/**
 * In a container not even root may read this for another account's process, but that account may.
 * @returns undefined if it may not either
 */
async function openFiles(pid: number, as: Account | undefined): Promise<string | undefined> {
  const account = as && { uid: as.uid, gid: as.gid };
  const options = { cwd: '/', env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 16 * 1024 * 1024, ...account };
  return run('ls', ['-l', `/proc/${pid}/fd`], options).then(
    ({ stdout }) => stdout,
    // It fails as well if a file was closed meanwhile, or if the process has ended.
    ({ stdout = '', stderr }: { stdout?: string; stderr?: string }) => (stderr?.includes('No such file') ? stdout : undefined),
  );
}

async function listensByLsof(pids: number[], port: number): Promise<boolean> {
  const listeners = await run('lsof', ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN']).then(
    ({ stdout }) => stdout.trim().split('\n').map(Number),
    () => [],
  );
  return listeners.length === 0 || listeners.some((pid) => pids.includes(pid));
}
