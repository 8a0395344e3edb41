import type { Account } from './account.ts';

export type Server = {
  name: string;
  url: string;
  pid(): number | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** kill -9, and wait until it is gone with all it has started. */
  kill(): Promise<void>;
};

export type Launch = { command: string; args: string[]; env?: NodeJS.ProcessEnv };

export type ServerKind = {
  name: string;
  url: string;
  dataDir: string;
  as: Account | undefined;
  stopSignal: NodeJS.Signals;
  deadlineMs: number;
  /** Brings about all the process needs, and says how to run it. */
  prepare(): Promise<Launch>;
  answers(): Promise<boolean>;
};
