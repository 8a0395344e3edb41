import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StackError } from './stack-error.ts';

export type Account = { name: string; uid: number; gid: number };

/**
 * The account that runs the servers: PostgreSQL and Elasticsearch do not run as root, so root starts them as nobody.
 */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return fromPasswd() ?? fromId();
}

/** Whether the account can enter the folder; parts of the path that do not exist yet count as accessible. */
export function canEnter(account: Account, folder: string): boolean {
  const stat = statSync(folder, { throwIfNoEntry: false });
  const parent = dirname(folder);
  if (stat && (stat.mode & entryBit(account, stat)) === 0) return false;
  return parent === folder || canEnter(account, parent);
}

function entryBit({ uid, gid }: Account, owner: { uid: number; gid: number }): number {
  if (owner.uid === uid) return 0o100;
  return owner.gid === gid ? 0o010 : 0o001;
}

function fromPasswd(): Account | undefined {
  const line = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m);
  return line ? { name: 'nobody', uid: Number(line[1]), gid: Number(line[2]) } : undefined;
}

function fromId(): Account {
  try {
    return { name: 'nobody', uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    throw new StackError(
      'PostgreSQL and Elasticsearch do not run as root, and the account "nobody" does not exist: start the stack as an ordinary user.',
    );
  }
}

function idOf(kind: '-u' | '-g'): number {
  return Number(execFileSync('id', [kind, 'nobody'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}
