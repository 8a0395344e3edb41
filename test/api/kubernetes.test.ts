import { expect, it } from '@jest/globals';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { scrape } from '../support/http/scrape.ts';
import { containerOf, manifest, patches, type Container } from '../support/kubernetes/manifests.ts';
import { startService } from '../support/processes/service.ts';

const service = forAllTests(() => startService());

const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
const probesOf = (container: Container) => PROBES.flatMap((probe) => container[probe]?.httpGet ?? []);

it('the probes of the Kubernetes manifests are answered by the ports that they name', async () => {
  const urls = {
    'ugc-api': { http: service.client.baseUrl, operations: service.operationsUrl },
    'ugc-indexer': { operations: `http://127.0.0.1:${service.indexer.operationsPort}` },
  };
  for (const [name, ports] of Object.entries(urls)) {
    const probes = probesOf(containerOf(manifest('Deployment', name)));
    expect(new Set(probes.map(({ port }) => port))).toEqual(new Set(Object.keys(ports)));
    for (const { path, port } of probes) {
      const { status } = await fetch(new URL(path, (ports as Record<string, string>)[port]));
      expect([name, port, path, status]).toEqual([name, port, path, 200]);
    }
  }
});

it('the metric by which KEDA scales the indexers is one of the API, without labels, and 0 when nothing is to be done', async () => {
  const [trigger] = manifest('ScaledObject', 'ugc-indexer').spec.triggers;
  const asked: string = trigger.metadata.query;
  const named = /^max\((\w+)\{namespace="ugc"\}\)$/.exec(asked)?.[1] ?? '';
  const replaced = patches.find(({ path }) => path === 'components/keda-metrics-api/trigger.yaml')?.documents[0]?.[0];
  expect(replaced?.value[0].metadata.valueLocation).toBe(named);
  await until('nothing is to be done', async () => (await scrape(service.operationsUrl)).get(named) === 0);
});

it('KEDA reads the metrics under the name of the Service, which is no name of the operations page', async () => {
  const { url } = patches[0]?.documents[0]?.[0]?.value[0].metadata;
  const { port } = new URL(service.operationsUrl);
  const { request } = await import('node:http');
  const status = await new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: new URL(url).pathname, headers: { host: new URL(url).host } });
    asked.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
    asked.end();
  });
  expect(status).toBe(200);
});
