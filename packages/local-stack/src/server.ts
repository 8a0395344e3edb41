import type { Account } from './account.ts';
import type { Patience } from './patience.ts';
import type { RunTool } from './run-tool.ts';

export type Server = {
  name: string;
  url: string;
  pid(): number | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGKILL to the process and its descendants and waits until they have ended. */
  kill(): Promise<void>;
};

export type Launch = {
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  /** The data folder, unless given. */
  cwd?: string;
  /** What the process reads from standard input, which then stays open. */
  input?: Buffer;
  /** Called after `stop` has ended a server that was ready. */
  onStopped?: () => Promise<void>;
};

export type ServerKind = {
  name: string;
  url: string;
  dataDir: string;
  as: Account | undefined;
  stopSignal: NodeJS.Signals;
  /** How long a start without progress is waited for. */
  patience?: Patience;
  /** Creates the files that the process needs. @returns the command line and environment to run it with */
  prepare(runTool: RunTool): Promise<Launch>;
  /** Whether something answers at the address; another program may. */
  isReady(): Promise<boolean>;
};
