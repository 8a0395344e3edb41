import { storeTimeout } from '@ugc/shared/timing/timeouts';
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareServerFolder } from './folders.ts';
import { endLeftover, removePidFile, writePidFile } from './pid-file.ts';
import { killFamily, signalFamily, stopFamily } from './process-family.ts';
import { serverLog, type ServerLog } from './server-log.ts';
import type { Launch, Server, ServerKind } from './server.ts';
import { StackError } from './stack-error.ts';

/** A server as a child process with a data folder and a log. */
export class ServerProcess implements Server {
  readonly name: string;
  readonly url: string;
  readonly #kind: ServerKind;
  readonly #log: ServerLog;
  #child: ChildProcess | undefined;
  #starting: Promise<void> | undefined;
  #wanted = false;
  #onStopped: Launch['onStopped'];

  constructor(kind: ServerKind) {
    this.name = kind.name;
    this.url = kind.url;
    this.#kind = kind;
    this.#log = serverLog(join(kind.dataDir, 'server.log'));
  }

  pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): Promise<void> {
    this.#wanted = true;
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  async stop(): Promise<void> {
    const wasReady = this.#child !== undefined && this.#starting === undefined;
    await this.#end((pid) => stopFamily(pid, this.#kind.stopSignal, storeTimeout(30_000)));
    if (wasReady) await this.#onStopped?.();
  }

  async kill(): Promise<void> {
    await this.#end(killFamily);
  }

  signal(name: NodeJS.Signals): void {
    const pid = this.pid();
    if (pid !== undefined) signalFamily(pid, name);
  }

  async #start(): Promise<void> {
    if (this.#child) return;
    const { name, dataDir, as, stopSignal, prepare } = this.#kind;
    await prepareServerFolder(dataDir, as);
    await endLeftover(name, dataDir, stopSignal);
    const launch = await prepare();
    this.#onStopped = launch.onStopped;
    if (!this.#wanted) throw new StackError(`${name} was stopped before its start was complete.`);
    // #waitUntilReady returns at once when there is no process, so the launch comes first.
    const ended = this.#launch(launch);
    await Promise.race([this.#waitUntilReady(), ended]).catch(async (error: unknown) => {
      await this.kill();
      throw error;
    });
  }

  async #end(end: (pid: number) => Promise<void>): Promise<void> {
    this.#wanted = false;
    const child = this.#child;
    if (child?.pid === undefined) return;
    await end(child.pid);
    removePidFile(this.#kind.dataDir);
    if (this.#child === child) this.#child = undefined;
  }

  /** Runs the process. The promise never resolves, and rejects when the process ends. */
  #launch({ command, args, env, cwd, input }: Launch): Promise<never> {
    const { dataDir, as } = this.#kind;
    const output = this.#log.open();
    const child = spawn(command, args, {
      cwd: cwd ?? dataDir,
      // In its own process group, Ctrl-C in the terminal does not reach the server; stop() ends it in an orderly way.
      detached: true,
      stdio: [input ? 'pipe' : 'ignore', output, output],
      env: { PATH: process.env['PATH'], HOME: dataDir, TMPDIR: dataDir, LC_ALL: 'C', ...env },
      ...(as && { uid: as.uid, gid: as.gid }),
    });
    this.#log.close();
    // The process may end before it has read its input.
    child.stdin?.on('error', () => undefined).write(input ?? '');
    return this.#watch(child, command);
  }

  #watch(child: ChildProcess, command: string): Promise<never> {
    this.#child = child;
    if (child.pid !== undefined) writePidFile(this.#kind.dataDir, child.pid);
    const ended = new Promise<never>((_, reject) => {
      const end = (what: string) => {
        // The pid file stays: the next start uses it to end children that are still running.
        if (this.#child === child) this.#child = undefined;
        reject(this.#failure(what));
      };
      child.once('error', (error) => end(`could not run ${command} (${error.message})`));
      child.once('exit', (code, signal) => end(`ended (${signal ?? `exit code ${code}`})`));
    });
    ended.catch(() => undefined);
    return ended;
  }

  async #waitUntilReady(): Promise<void> {
    const deadline = performance.now() + this.#kind.deadlineMs;
    while (this.#child && !(await this.#kind.isReady())) {
      if (performance.now() > deadline) throw this.#failure(`was not ready within ${this.#kind.deadlineMs / 1000} s`);
      await sleep(25);
    }
  }

  #failure(what: string): StackError {
    return new StackError(`${this.name} ${what}. Its log, ${this.#log.path}, ends with:\n${this.#log.tail()}`);
  }
}
