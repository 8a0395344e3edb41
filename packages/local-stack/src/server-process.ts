import { printMessage } from '@ugc/shared/cli/output';
import { storeTimeout } from '@ugc/shared/timing/timeouts';
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareServerFolder } from './folders.ts';
import { listensOn } from './listening.ts';
import { inSeconds, patiently } from './patience.ts';
import { endLeftover, removePidFile, writePidFile } from './pid-file.ts';
import { killFamily, signalFamily, stopFamily } from './process-family.ts';
import { processorSeconds } from './process-time.ts';
import { runTool, type Tool } from './run-tool.ts';
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
  /** A program that prepares the start. */
  #tool: number | undefined;
  #isForeign = false;
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
    const launch = await prepare((tool) => this.#runTool(tool));
    this.#onStopped = launch.onStopped;
    if (!this.#wanted) throw new StackError(`${name} was stopped before its start was complete.`);
    const ended = this.#launch(launch);
    await Promise.race([this.#waitUntilReady(), ended]).catch(async (error: unknown) => {
      await this.kill();
      throw error;
    });
  }

  async #end(end: (pid: number) => Promise<void>): Promise<void> {
    this.#wanted = false;
    if (this.#tool !== undefined) await killFamily(this.#tool);
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
    this.#isForeign = false;
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

  /** As a leftover, it is found by the next start. */
  async #runTool(tool: Tool): Promise<Buffer> {
    const { dataDir, patience } = this.#kind;
    try {
      return await runTool({ ...(patience && { patience }), ...tool }, (pid) => {
        this.#tool = pid;
        writePidFile(dataDir, pid);
      });
    } finally {
      this.#tool = undefined;
      removePidFile(dataDir);
    }
  }

  async #waitUntilReady(): Promise<void> {
    const child = this.#child;
    const pid = child?.pid;
    if (pid === undefined) return;
    await patiently(this.#untilReady(child as ChildProcess, pid), {
      patience: this.#kind.patience,
      work: () => ({ bytes: this.#log.size(), processorSeconds: processorSeconds(pid) }),
      say: (ms) => printMessage(`Waiting for ${this.name} (process ${pid}) for ${inSeconds(ms)}. ${this.#lastLine()}`),
      giveUp: (ms) => this.#failure(`is not ready and made no progress for ${inSeconds(ms)}`),
    });
  }

  async #untilReady(child: ChildProcess, pid: number): Promise<void> {
    while (this.#child === child && !(await this.#isReady(pid))) await sleep(25);
  }

  /** Another program may have taken the port since it was chosen; then this server is about to end. */
  async #isReady(pid: number): Promise<boolean> {
    if (!(await this.#kind.isReady())) return false;
    this.#isForeign = !(await listensOn(pid, Number(new URL(this.url).port), this.#kind.as));
    return !this.#isForeign;
  }

  #lastLine(): string {
    const line = this.#log.tail().split('\n').at(-1);
    return line ? `Its log ends with: ${line}` : 'Its log is empty.';
  }

  #failure(what: string): StackError {
    const why = this.#isForeign ? `: another program listens on its port, ${new URL(this.url).port}` : '';
    return new StackError(`${this.name} ${what}${why}. Its log, ${this.#log.path}, ends with:\n${this.#log.tail()}`);
  }
}
