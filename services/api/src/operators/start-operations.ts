import { serveOperations } from '@ugc/shared/process/operations-server';
import type { Registry } from 'prom-client';
import type { ApiEnv } from '../env.ts';
import { BacklogHistory } from './backlog-history.ts';
import { operationsRequests } from './operations-requests.ts';
import { createStatusReader, type StatusSources } from './read-status.ts';
import { htmlPage } from '../http/pages/html-page.ts';

type OperationsDeps = Omit<StatusSources, 'history'> & { env: ApiEnv; registry: Registry };

/** Starts the server of the operations port: metrics, liveness, the operators' page and the data that it shows. */
export async function startOperations({ env, registry, ...sources }: OperationsDeps): Promise<{ port: number; close(): Promise<void> }> {
  const history = new BacklogHistory(sources.backlog);
  const otherwise = operationsRequests({
    files: htmlPage({ name: 'operations', path: '/', title: 'Operations', settings: {} }),
    readStatus: createStatusReader({ ...sources, history }),
    hosts: env.OPERATIONS_HOSTS,
    log: sources.log,
  });
  const { isLive } = sources;
  const server = await serveOperations({ address: env.BIND_ADDRESS, port: env.OPERATIONS_PORT, registry, isLive, otherwise });
  history.start();
  const close = async (): Promise<void> => {
    await server.close();
    await history.stop();
  };
  return { port: server.port, close };
}
