import { basename } from 'node:path';
import { commandLine, parentOf, processTable } from './process-table.ts';

const CHECK_EVERY_MS = 500;
const PACKAGE_MANAGER = /^(npm|npx|pnpm|pnpx|yarn|corepack|bun|bunx)(-cli)?(\.[cm]?js)?$/;

/**
 * Calls `onGone` when npx, pnpm or a shell between them and this process has ended: they do not pass every signal on.
 * What has started npx may end, as a login shell does after `nohup npx pnpm start &`. Without a package manager nothing is
 * watched.
 */
export function watchLaunchers(onGone: () => void): void {
  const launchers = findLaunchers();
  if (launchers.length === 0 && !wasAbandoned()) return;
  const timer = setInterval(() => {
    if (launchers.length > 0 && areAlive(launchers)) return;
    clearInterval(timer);
    onGone();
  }, CHECK_EVERY_MS).unref();
}

/** The ids of the ancestors, from the parent to the first package manager. */
function findLaunchers(): number[] {
  const parents = new Map(processTable().map(({ pid, parent }) => [pid, parent]));
  const found: number[] = [];
  let managers = 0;
  for (let pid: number | undefined = process.ppid; pid; pid = parents.get(pid)) {
    const words = commandLine(pid).trim().split(/\s+/);
    if (isPackageManager(words)) managers = found.push(pid);
    else if (isShellCommand(words)) found.push(pid);
    else break;
  }
  return found.slice(0, managers);
}

function isPackageManager([command = '', ...more]: string[]): boolean {
  const script = basename(command) === 'node' ? more.find((word) => !word.startsWith('-')) : command;
  return PACKAGE_MANAGER.test(basename(script ?? ''));
}

function isShellCommand([command = '', option = '']: string[]): boolean {
  return /^(ba|da|z|k)?sh$/.test(basename(command)) && option.startsWith('-');
}

/** An orphan has another parent, also while its former parent is a zombie. */
function areAlive(launchers: number[]): boolean {
  return launchers.every((pid, position) => {
    const child = launchers[position - 1];
    return (child === undefined ? process.ppid : parentOf(child)) === pid;
  });
}

/** Whether the package manager had ended before this process looked for it. */
function wasAbandoned(): boolean {
  return process.env['npm_lifecycle_event'] === 'start' && process.ppid === 1;
}
