import { connect } from 'node:net';
import type { Account } from './account.ts';
import { cacheFolder } from './folders.ts';
import type { Say } from './progress-line.ts';
import { redisBinary } from './redis-binary.ts';
import { ServerProcess } from './server-process.ts';
import type { Launch, Server } from './server.ts';

export type RedisOptions = { dataDir: string; port: number; as?: Account | undefined; env?: NodeJS.ProcessEnv; say?: Say };

export function redisServer(options: RedisOptions): Server {
  const { dataDir, port, as } = options;
  return new ServerProcess({
    name: 'Redis',
    url: `redis://127.0.0.1:${port}`,
    dataDir,
    as,
    stopSignal: 'SIGTERM',
    deadlineMs: 60_000,
    prepare: () => prepare(options),
    answers: () => answers(port),
  });
}

async function prepare({ dataDir, port, env = process.env, say = () => undefined }: RedisOptions): Promise<Launch> {
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: dataDir,
    appendonly: 'yes',
    save: '',
    'maxmemory-policy': 'noeviction',
    // The command line names the data folder, by which a process left behind is known again.
    'set-proc-title': 'no',
  };
  const command = await redisBinary({ cache: cacheFolder(env), say });
  return { command, args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]) };
}

/** Redis says +PONG only once it has loaded its data. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1_000 }, () => socket.write('PING\r\n'));
    const end = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('data', (reply) => end(reply.toString().startsWith('+PONG')));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
