import { connect } from 'node:net';
import type { Account } from './account.ts';
import { cacheFolder } from './folders.ts';
import { redisBinary } from './redis-binary.ts';
import { ServerProcess } from './server-process.ts';
import type { Launch, Server } from './server.ts';

export type RedisOptions = {
  dataDir: string;
  port: number;
  as?: Account | undefined;
  env?: NodeJS.ProcessEnv;
  /** Further settings of redis.conf. */
  settings?: Record<string, string>;
};

export function redisServer(options: RedisOptions): Server {
  const { dataDir, port, as } = options;
  return new ServerProcess({
    name: 'Redis',
    url: `redis://127.0.0.1:${port}`,
    dataDir,
    as,
    stopSignal: 'SIGTERM',
    prepare: () => prepare(options),
    isReady: () => isReady(port),
  });
}

async function prepare({ dataDir, port, env = process.env, settings: further }: RedisOptions): Promise<Launch> {
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: dataDir,
    appendonly: 'yes',
    save: '',
    'maxmemory-policy': 'noeviction',
    // Keeps the data folder on the command line, by which endLeftover recognizes the process.
    'set-proc-title': 'no',
    ...further,
  };
  const command = await redisBinary(cacheFolder(env));
  return { command, args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]) };
}

/** Redis replies +PONG only after it has loaded its data. */
function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 10_000 }, () => socket.write('PING\r\n'));
    const end = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.once('data', (reply) => end(reply.toString().startsWith('+PONG')));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
