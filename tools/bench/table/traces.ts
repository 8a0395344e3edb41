import type { Server } from '@ugc/local-stack/server';
import { serviceProcess } from '@ugc/local-stack/service-process';
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePorts } from '../../../test/support/cluster/cluster-servers.ts';
import type { Cluster } from '../../../test/support/cluster/cluster.ts';
import type { Figure, Section } from './figure.ts';
import { measurePair } from './pair.ts';
import { getRequests, uploadRequests } from './requests.ts';

/** An API that traces every request, to a collector that never answers: beside one that answers, and without traces. */
export const measureTraces: Section = async ({ stack, rounds }) => {
  const { cluster } = stack;
  const hanging = await startTracedApi(cluster, (request) => void request.resume());
  const answered = await startTracedApi(cluster, (request, response) => void request.resume().on('end', () => response.end('{}')));
  const limits = [
    { what: 'collector hangs', limit: answered.api, limitedBy: 'a collector that answers', goal: { atLeast: 0.95 } },
    { what: 'traced', limit: cluster.api, limitedBy: 'itself without traces', goal: { atLeast: 0.8 } },
  ];
  const paths = [
    { path: 'get one', requests: getRequests(stack) },
    { path: 'upload', requests: uploadRequests(stack) },
  ];
  const figures: Figure[] = [];
  for (const { path, requests } of paths) {
    for (const { what, ...limit } of limits) {
      const pair = { ...limit, path: `${path}, ${what}`, ours: hanging.api, store: cluster.postgres, requests };
      figures.push(await measurePair({ ...pair, afterRound: cluster.indexed }, rounds));
    }
  }
  for (const traced of [hanging, answered]) await traced.stop();
  return figures;
};

async function startTracedApi({ env, dataDir }: Cluster, answer: RequestListener): Promise<{ api: Server; stop(): Promise<void> }> {
  const collector = createServer(answer).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port: collectorPort } = collector.address() as AddressInfo;
  const [port = 0, operationsPort = 0] = await freePorts(2);
  const api = serviceProcess({
    name: 'API',
    main: 'services/api/src/main.ts',
    dataDir: join(dataDir, `traced-api-${port}`),
    port,
    env: {
      ...env,
      PORT: String(port),
      OPERATIONS_PORT: String(operationsPort),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`,
    },
  });
  await api.start();
  const stop = async (): Promise<void> => {
    await api.stop();
    collector.close().closeAllConnections();
  };
  return { api, stop };
}
