import type { Environment } from '../../../test/support/processes/environment.ts';
import type { Server } from '@ugc/local-stack/server';
import { ServerProcess } from '@ugc/local-stack/server-process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cluster } from '../../../test/support/cluster/cluster.ts';
import { freePorts } from '../../../test/support/cluster/cluster-servers.ts';

type LimitName = 'get-one' | 'list' | 'upload';

/** Starts a program of tools/bench/limits on the stores of the cluster. It gets its configuration from `env`. */
export async function startLimit(cluster: Cluster, name: LimitName, env: Environment = {}): Promise<Server> {
  const [port = 0] = await freePorts(1);
  const dataDir = join(cluster.dataDir, `limit-${name}-${port}`);
  const main = fileURLToPath(new URL(`../limits/${name}.ts`, import.meta.url));
  const server = new ServerProcess({
    name: `limit of ${name}`,
    url: `http://127.0.0.1:${port}`,
    dataDir,
    as: undefined,
    stopSignal: 'SIGTERM',
    // endLeftover recognizes a process by the data folder on its command line.
    prepare: () =>
      Promise.resolve({
        command: process.execPath,
        args: ['--disable-warning=ExperimentalWarning', main, dataDir],
        env: { ...cluster.env, ...env, PORT: String(port) },
      }),
    isReady: () => acceptsConnections(port),
  });
  await server.start();
  return server;
}

async function acceptsConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
