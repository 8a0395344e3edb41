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
  const listeners = await allListeners();
  const files = await Promise.all(pids.map((pid) => openFiles(pid, as)));
  const open = files.filter((each) => each !== undefined);
  if (listeners.length === 0 || open.length === 0) return true;
  // Without any on this port, the one that has answered has ended since.
  const inodes = listeners.filter((listener) => listener.port === port).map(({ inode }) => inode);
  return inodes.some((inode) => open.some((each) => each.includes(`socket:[${inode}]`)));
}

/** The sockets that listen on any port. Java listens on IPv4 addresses with sockets of IPv6. */
async function allListeners(): Promise<{ port: number; inode: string }[]> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')));
  const rows = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)));
  const listening = rows.filter(([, , , state]) => state === LISTENING);
  return listening.map((row) => ({ port: Number.parseInt(row[1]?.split(':').at(-1) ?? '', 16), inode: row[9] ?? '' }));
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
    ({ code, stdout = '', stderr }: { code?: string | number; stdout?: string; stderr?: string }) =>
      isTransient(code) || stderr?.includes('No such file') ? stdout : undefined,
  );
}

/** A busy system starts no process now. The next look tells. */
function isTransient(code: string | number | undefined): boolean {
  return code === 'EAGAIN' || code === 'ENOMEM' || code === 'EMFILE';
}

async function listensByLsof(pids: number[], port: number): Promise<boolean> {
  const listeners = await run('lsof', ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN']).then(
    ({ stdout }) => stdout.trim().split('\n').map(Number),
    () => [],
  );
  return listeners.length === 0 || listeners.some((pid) => pids.includes(pid));
}
