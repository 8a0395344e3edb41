import { describe, expect, it } from '@jest/globals';
import { ApiEnv } from '@ugc/api/env';
import { IndexerEnv } from '@ugc/indexer/env';
import { CONCURRENT_JOBS } from '@ugc/indexer/start-indexer';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { parseEnv } from '@ugc/shared/config/env';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { defaultEnv } from '../support/processes/default-env.ts';
import {
  configMap,
  containerOf,
  DEPLOY,
  kustomizations,
  manifest,
  manifestFiles,
  ofKind,
  patches,
  podOf,
  portOf,
  readYaml,
  type Container,
  type Manifest,
} from '../support/kubernetes/manifests.ts';
import { checkSchema } from '../support/kubernetes/schemas.ts';
import { documentedCommands } from '../support/processes/documented-commands.ts';

type ComposeService = { command?: string[]; environment: Record<string, string | null>; stop_grace_period?: string; mem_limit?: string };
const compose = parse(readFileSync(new URL('../docker-compose.yml', DEPLOY), 'utf8'), { merge: true }) as {
  services: Record<'api' | 'indexer' | 'migrate', ComposeService>;
};

const api = manifest('Deployment', 'ugc-api');
const indexer = manifest('Deployment', 'ugc-indexer');
const DEPLOYMENTS = [
  { name: 'ugc-api', deployment: api },
  { name: 'ugc-indexer', deployment: indexer },
];
const containersOf = (deployment: Manifest): Container[] => [...(podOf(deployment).initContainers ?? []), ...podOf(deployment).containers];
const selectorOf = ({ spec }: Manifest): object => spec.selector.matchLabels as object;
const STORES = { DATABASE_URL: 'postgres://h/d', REDIS_URL: 'redis://h', ELASTICSEARCH_URL: 'http://h' };
const TOKENS = { JWT_SECRET: 'x'.repeat(32) };

describe('the manifests', () => {
  it.each(manifestFiles)('of $path match the schemas of their kinds and have no unknown field', ({ documents }) => {
    for (const document of documents) expect(() => checkSchema(document)).not.toThrow();
  });

  it('would not match with a misspelt or a wrong field', () => {
    const broken = structuredClone(api);
    broken.spec.template.spec.containers[0].livenesProbe = {};
    expect(() => checkSchema(broken)).toThrow('unknown fields: /spec/template/spec/containers/0/livenesProbe');
    broken.spec.template.spec.containers[0].ports[0].containerPort = 'http';
    expect(() => checkSchema(broken)).toThrow('containerPort must be integer');
  });

  it('are all listed by the kustomization of their folder, which lists nothing that is missing', () => {
    for (const { folder, kustomization } of kustomizations) {
      const { resources = [], components = [], patches: patched = [] } = kustomization;
      const listed = [...resources, ...patched.flatMap(({ path }) => path ?? [])].filter((path) => path.endsWith('.yaml'));
      const files = [...manifestFiles, ...patches].map(({ path }) => path).filter((path) => path.startsWith(`${folder}/`));
      expect(listed.map((path) => `${folder}/${path}`).toSorted()).toEqual(files.toSorted());
      for (const path of [...resources, ...components]) expect(existsSync(new URL(`kubernetes/${folder}/${path}`, DEPLOY))).toBe(true);
    }
  });

  it('have names, and patches have targets, that exist once', () => {
    const names = manifestFiles.flatMap(({ documents }) => documents.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
    expect(new Set(names).size).toBe(names.length);
    for (const { target } of kustomizations.flatMap(({ kustomization }) => kustomization.patches ?? [])) {
      const targets = ofKind(target.kind).filter(({ metadata }) => new RegExp(`^(${target.name})$`).test(metadata.name));
      expect([target.name, targets.length > 0]).toEqual([target.name, true]);
    }
  });

  it('are in one namespace, whose name the addresses for KEDA contain', () => {
    const namespaces = [...kustomizations, ...manifestFiles.flatMap(({ documents }) => documents)].flatMap((listed) =>
      'metadata' in listed ? (listed.metadata.namespace ?? []) : ((listed.kustomization as { namespace?: string }).namespace ?? []),
    );
    expect(new Set(namespaces)).toEqual(new Set(['ugc']));
  });
});

describe('the pods', () => {
  it.each([
    // Docker Compose has no preStop, and grants the longest SHUTDOWN_DELAY_MS as well.
    ['ugc-api', 'api', compose.services.api, 60],
    ['ugc-indexer', 'indexer', compose.services.indexer, 0],
  ])('of %s run the command of Docker Compose, and end in the time that it grants', (name, container, service, delaySeconds) => {
    const deployment = manifest('Deployment', name);
    expect(containerOf(deployment)).toMatchObject({ name: container, image: 'ugc-service' });
    expect(containerOf(deployment).command).toEqual(service.command);
    const preStop = containerOf(deployment).lifecycle?.preStop.sleep.seconds ?? 0;
    expect(`${podOf(deployment).terminationGracePeriodSeconds - preStop + delaySeconds}s`).toBe(service.stop_grace_period);
  });

  it('of the API, and its container, have memory for what its byte limits allow, three times, and for the process', () => {
    const { UPLOADS_IN_FLIGHT_MAX_BYTES: uploads, PAGE_MAX_BYTES: page } = defaultEnv();
    const needed = 200_000_000 + 3 * (uploads + 8 * page);
    const limit = /^(\d+)Mi$/.exec(containerOf(api).resources.limits.memory)?.[1];
    expect(Number(limit) * 2 ** 20).toBeGreaterThanOrEqual(needed);
    expect(compose.services.api.mem_limit).toBe('2g');
  });

  it('of the API migrate the schema first, and their Deployment replaces none before another one is ready', () => {
    const [migrate] = podOf(api).initContainers ?? [];
    expect(migrate?.command).toEqual(compose.services.migrate.command);
    expect(existsSync(join(CHECKOUT, migrate?.command?.[1] ?? ''))).toBe(true);
    for (const { deployment } of DEPLOYMENTS)
      expect(deployment.spec.strategy).toEqual({ rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
  });

  it('have the ports of the services, and every Service and NetworkPolicy names one of them', () => {
    const { PORT, OPERATIONS_PORT } = defaultEnv();
    const { INDEXER_PORT } = parseEnv(IndexerEnv, STORES);
    expect([portOf(containerOf(api), 'http'), portOf(containerOf(api), 'operations')]).toEqual([PORT, OPERATIONS_PORT]);
    expect(portOf(containerOf(indexer), 'operations')).toBe(INDEXER_PORT);
    for (const service of ['ugc-api', 'ugc-operations'].map((name) => manifest('Service', name)))
      for (const { targetPort } of service.spec.ports) expect(portOf(containerOf(api), targetPort)).toBeGreaterThan(0);
  });

  it.each(DEPLOYMENTS)('of $name meet the restricted Pod Security Standard, with a read-only root', ({ deployment }) => {
    // Kubernetes cannot tell whether the user `node` of the Dockerfile is root; its id in the official image is 1000.
    expect(readFileSync(join(CHECKOUT, 'Dockerfile'), 'utf8')).toContain('\nUSER node\n');
    expect(podOf(deployment).securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const { securityContext } of containersOf(deployment))
      expect(securityContext).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    expect(podOf(deployment)).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
  });

  it.each([
    ['ugc-backup', 999],
    ['ugc-restore', 999],
    ['ugc-commands', 1000],
  ])('of %s meet it too, and read a ConfigMap that exists with the image of the service', (name, user) => {
    const job = manifest('CronJob', name).spec.jobTemplate as Manifest;
    expect(podOf(job)).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      // The group owns the volume.
      securityContext: { runAsNonRoot: true, runAsUser: user, fsGroup: user, seccompProfile: { type: 'RuntimeDefault' } },
    });
    for (const { securityContext } of containersOf(job))
      expect(securityContext).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    for (const { image, envFrom = [] } of podOf(job).initContainers ?? []) {
      expect(image).toBe(containerOf(api).image);
      for (const { configMapRef } of envFrom) expect(configMap(configMapRef?.name ?? '')).not.toEqual({});
    }
  });

  it.each(DEPLOYMENTS)('of $name are covered by a PodDisruptionBudget that never blocks a drain, and by a NetworkPolicy', (row) => {
    const { deployment, name } = row;
    expect(deployment.spec.template.metadata.labels).toMatchObject(selectorOf(deployment));
    expect(manifest('PodDisruptionBudget', name).spec).toEqual({ maxUnavailable: 1, selector: deployment.spec.selector });
    expect(manifest('NetworkPolicy', name).spec).toMatchObject({ podSelector: deployment.spec.selector, policyTypes: ['Ingress'] });
  });

  it.each(DEPLOYMENTS)('of $name have no fixed number: an autoscaler sets it, and applying the manifests again must not', (row) => {
    expect(row.deployment.spec).not.toHaveProperty('replicas');
  });
});

const environmentOf = ({ envFrom = [] }: Container): (string | undefined)[] =>
  envFrom.map(({ configMapRef, secretRef }) => configMapRef?.name ?? secretRef?.name);

describe('the pod for commands', () => {
  const { suspend, jobTemplate } = manifest('CronJob', 'ugc-commands').spec;
  const container = containerOf(jobTemplate as Manifest);

  it('has the image and the variables of the API, without the keys of tokens', () => {
    expect(container.image).toBe(containerOf(api).image);
    expect(environmentOf(container)).toEqual(environmentOf(containerOf(api)).filter((name) => name !== 'ugc-tokens'));
  });

  it('never starts by itself, is not replaced by one without its files, and is removed with them', () => {
    expect({ suspend, ...jobTemplate.spec }).toMatchObject({ suspend: true, backoffLimit: 0, ttlSecondsAfterFinished: 60 });
    expect(podOf(jobTemplate as Manifest)).toMatchObject({ restartPolicy: 'Never' });
    const { name } = container.volumeMounts?.find(({ mountPath }) => mountPath === '/files') ?? {};
    expect(podOf(jobTemplate as Manifest).volumes?.find((volume) => volume.name === name)?.ephemeral).toBeDefined();
  });

  it('is reached by nobody, and reaches name servers and the ports of the stores only', () => {
    const { spec } = manifest('NetworkPolicy', 'ugc-commands');
    expect(jobTemplate.spec.template.metadata.labels).toMatchObject(spec.podSelector.matchLabels as object);
    const stores = ['postgres', 'redis', 'elasticsearch'].map((name) => ({
      protocol: 'TCP',
      port: manifest('Service', name).spec.ports[0].port as number,
    }));
    const names = ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 }));
    expect(spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'], ingress: [], egress: [{ ports: [...names, ...stores] }] });
  });

  it('is there with each overlay, whose images and ConfigMaps have other names', () => {
    const overlays = kustomizations.filter(({ folder }) => folder.startsWith('overlays/'));
    for (const { kustomization } of overlays) expect(kustomization.components).toContain('../../components/commands');
  });
});

describe('the operations ports', () => {
  const allowed = ofKind('NetworkPolicy').flatMap(({ metadata, spec }) =>
    (spec.ingress as { from?: object[]; ports: { port: number }[] }[]).map(({ from, ports }) => ({ name: metadata.name, from, ports })),
  );

  it('are reached by KEDA and Prometheus only; clients reach the port of the API', () => {
    const operations = [portOf(containerOf(api), 'operations'), portOf(containerOf(indexer), 'operations')];
    const open = allowed.filter(({ from }) => from === undefined).flatMap(({ ports }) => ports.map(({ port }) => port));
    expect(open).toEqual([portOf(containerOf(api), 'http')]);
    const namespaces = (name: string): object => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });
    expect(allowed.filter(({ from }) => from !== undefined)).toEqual([
      { name: 'ugc-api-from-keda', from: [namespaces('keda')], ports: [{ protocol: 'TCP', port: operations[0] }] },
      { name: 'ugc-from-prometheus', from: [namespaces('monitoring')], ports: operations.map((port) => ({ protocol: 'TCP', port })) },
    ]);
  });

  it('are scraped under the job names of the alert rules', () => {
    const { spec } = manifest('PodMonitor', 'ugc');
    expect(spec.podMetricsEndpoints.map(({ port }: { port: string }) => port)).toEqual(['operations']);
    const { scrape_configs: jobs } = readYaml(new URL('prometheus/prometheus.yml', DEPLOY))[0] as {
      scrape_configs: { job_name: string }[];
    };
    for (const { deployment } of DEPLOYMENTS) {
      const { labels } = deployment.spec.template.metadata;
      expect(labels).toMatchObject(spec.selector.matchLabels as object);
      expect(jobs.map(({ job_name: job }) => job)).toContain(labels[spec.jobLabel]);
    }
  });

  it('feed the alerts of deploy/prometheus: UPDATE_DOCS=1 npx pnpm test unit/kubernetes copies them', () => {
    const file = new URL('kubernetes/components/prometheus-operator/rules.yaml', DEPLOY);
    const rules = readFileSync(new URL('prometheus/alerts.yml', DEPLOY), 'utf8');
    const expected = prometheusRule(rules.slice(rules.indexOf('groups:')));
    if (process.env['UPDATE_DOCS']) writeFileSync(file, expected);
    expect(readFileSync(file, 'utf8')).toBe(expected);
  });
});

function prometheusRule(groups: string): string {
  const indented = groups.replaceAll(/^(?=.)/gm, '  ');
  return `# A copy of deploy/prometheus/alerts.yml: UPDATE_DOCS=1 npx pnpm test unit/kubernetes
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: ugc
  namespace: ugc
  labels: { app.kubernetes.io/part-of: ugc }
spec:
${indented}`;
}

describe('the configuration', () => {
  it('has variables that the services know, with valid values, and the rate limits of Docker Compose', () => {
    const [shared, ofApi] = [configMap('ugc-service'), configMap('ugc-api')];
    const known = new Set(Object.keys(ApiEnv.shape));
    expect(Object.keys({ ...shared, ...ofApi }).filter((name) => !known.has(name))).toEqual([]);
    expect(Object.keys(shared).filter((name) => !(name in IndexerEnv.shape))).toEqual([]);
    expect(() => parseEnv(ApiEnv, { ...STORES, ...TOKENS, ...shared, ...ofApi })).not.toThrow();
    expect(() => parseEnv(IndexerEnv, { ...STORES, ...shared })).not.toThrow();
    const rates = Object.entries(compose.services.api.environment).filter(([name]) => name.startsWith('RATE_LIMIT_'));
    for (const [name, value] of rates) expect(value).toBe(`\${${name}:-${ofApi[name]}}`);
  });

  it('shows the settings of the index, with the defaults, to the API, the indexer and their commands', () => {
    const defaults = Object.entries(parseEnv(IndexerEnv, STORES)).filter(([name]) => name.startsWith('INDEX_'));
    expect(defaults.length).toBeGreaterThan(3);
    expect(configMap('ugc-service')).toMatchObject(Object.fromEntries(defaults.map(([name, value]) => [name, String(value)])));
  });

  it('is read from ConfigMaps that exist, and from the Secrets that docs/kubernetes.md creates', () => {
    const guide = readFileSync(join(CHECKOUT, 'docs/kubernetes.md'), 'utf8');
    const sources = DEPLOYMENTS.flatMap(({ deployment }) => containerOf(deployment).envFrom ?? []);
    for (const { configMapRef } of sources) if (configMapRef) expect(configMap(configMapRef.name)).not.toEqual({});
    const secrets = new Set(sources.flatMap(({ secretRef }) => secretRef?.name ?? []));
    expect(secrets).toEqual(new Set(['ugc-stores', 'ugc-tokens']));
    for (const name of secrets) expect(guide).toContain(`kubectl create secret generic ${name} --namespace ugc`);
    // The migration reads the same, without the tokens.
    const ofMigration = podOf(api).initContainers?.flatMap(environmentOf);
    expect(ofMigration).toEqual(environmentOf(containerOf(api)).filter((name) => name !== 'ugc-api' && name !== 'ugc-tokens'));
  });

  it('of the overlay `try` comes with random secrets that start both services', () => {
    const folder = mkdtempSync(join(tmpdir(), 'try-'));
    const secret = (name: string): Record<string, string> =>
      Object.fromEntries(
        readFileSync(join(folder, name), 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.split(/=(.*)/).slice(0, 2) as [string, string]),
      );
    try {
      cpSync(new URL('kubernetes/overlays/try/make-secrets.sh', DEPLOY), join(folder, 'make-secrets.sh'));
      execFileSync('sh', [join(folder, 'make-secrets.sh')]);
      const first = { ...secret('stores.env'), ...secret('tokens.env') };
      const { DATABASE_URL } = parseEnv(ApiEnv, first);
      expect(DATABASE_URL).toContain(secret('postgres.env')['POSTGRES_PASSWORD']);
      expect(() => parseEnv(IndexerEnv, secret('stores.env'))).not.toThrow();
      execFileSync('sh', [join(folder, 'make-secrets.sh')]);
      expect({ ...secret('stores.env'), ...secret('tokens.env') }).toEqual(first);
      for (const url of ['DATABASE_URL', 'REDIS_URL', 'ELASTICSEARCH_URL']) {
        const { hostname, port } = new URL(first[url] ?? '');
        expect(manifest('Service', hostname).spec.ports[0].port).toBe(Number(port));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('opens no more connections to PostgreSQL than it has by default, also during an update', () => {
    const { DATABASE_POOL_SIZE } = parseEnv(ApiEnv, { ...STORES, ...TOKENS, ...configMap('ugc-api') });
    const apis = (manifest('HorizontalPodAutoscaler', 'ugc-api').spec.maxReplicas as number) + 1;
    const indexers = (manifest('ScaledObject', 'ugc-indexer').spec.maxReplicaCount as number) + 1;
    // PostgreSQL keeps 3 of 100 for superusers; a migration takes one.
    expect(apis * DATABASE_POOL_SIZE + indexers * (CONCURRENT_JOBS + 3) + 1).toBeLessThanOrEqual(97);
  });
});

describe('a patch of an overlay in a document', () => {
  const folder = join(CHECKOUT, 'docs');
  const documents = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const blocks = documents.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = '']) => ({ name, block })),
  );
  const documented = blocks.flatMap(({ name, block }) => {
    const { patches: ofBlock = [] } = (parse(block) ?? {}) as { patches?: { patch: string }[] };
    return ofBlock.map(({ patch }) => ({ name, patch }));
  });

  it('is found', () => expect(documented.length).toBeGreaterThan(3));

  // kustomize reads a patch that begins with a bracket as JSON, and others as YAML.
  it.each(documented)('is a list of operations that kustomize can read: $name, $patch', ({ patch }) => {
    const operations = (patch.startsWith('[') ? JSON.parse(patch) : parse(patch)) as object[];
    const operation = { op: expect.any(String), path: expect.any(String), value: expect.anything() };
    expect(operations).toEqual(operations.map(() => operation));
  });
});

describe('the autoscaler of the indexers', () => {
  const { spec } = manifest('ScaledObject', 'ugc-indexer');
  const withoutPrometheus = patches.find(({ path }) => path === 'components/keda-metrics-api/trigger.yaml')?.documents[0]?.[0];

  it('keeps an indexer by default, has the maximum of the API, and keeps indexers while the number is unknown', () => {
    expect(spec).toMatchObject({ scaleTargetRef: { name: 'ugc-indexer' }, minReplicaCount: 1 });
    expect(String(spec.maxReplicaCount)).toBe(configMap('ugc-api')['INDEXERS_MAX']);
    expect(spec.maxReplicaCount).toBe(defaultEnv().INDEXERS_MAX);
    expect(spec.fallback).toEqual({ failureThreshold: 3, replicas: 1, behavior: 'currentReplicasIfHigher' });
  });

  it('asks Prometheus for the wanted indexers, one replica for each, and takes no response for unknown', () => {
    expect(spec.triggers).toEqual([
      {
        type: 'prometheus',
        metricType: 'AverageValue',
        metadata: {
          serverAddress: expect.stringMatching(/^http:/),
          query: 'max(ugc_indexers_wanted{namespace="ugc"})',
          threshold: '1',
          ignoreNullValues: 'false',
        },
      },
    ]);
  });

  it('or asks the API pods behind an existing Service and port, and takes the greatest number', () => {
    expect(withoutPrometheus).toMatchObject({ op: 'replace', path: '/spec/triggers' });
    const [{ type, metricType, metadata }] = withoutPrometheus?.value;
    expect({ type, metricType }).toEqual({ type: 'metrics-api', metricType: 'AverageValue' });
    expect(metadata).toMatchObject({ format: 'prometheus', aggregationType: 'max', targetValue: '1' });
    expect(metadata.aggregateFromKubeServiceEndpoints).toBe('true');
    const { hostname, port, pathname } = new URL(metadata.url);
    const [service = '', namespace] = hostname.split('.');
    expect([namespace, pathname]).toEqual(['ugc', '/metrics']);
    // KEDA connects to the pods with the port of the address.
    expect(manifest('Service', service).spec.ports[0]).toMatchObject({ port: Number(port), targetPort: 'operations' });
    expect(portOf(containerOf(api), 'operations')).toBe(Number(port));
  });
});

describe('the documents', () => {
  const documents = readdirSync(join(CHECKOUT, 'docs')).filter((name) => name.endsWith('.md'));

  it('run nothing in the memory of the API or of an indexer but short commands without files', () => {
    const texts = documents.map((name) => readFileSync(join(CHECKOUT, 'docs', name), 'utf8')).join('\n');
    const inPods = [...texts.matchAll(/exec (?:-i )?deployment\/\S+ -- node \S*\/([\w-]+)\.ts/g)].map(([, name]) => name);
    expect(new Set(inPods)).toEqual(new Set(['welcome', 'index-status']));
  });

  it('run a command after a restart only when all former pods are replaced', () => {
    const restarts = documents
      .flatMap((name) => documentedCommands(`docs/${name}`))
      .flatMap(({ block }) => [
        ...block.matchAll(/rollout restart(?<pods>(?: deployment\/[\w-]+)+)(?<then>[^]*? (?:exec deployment|create job))/g),
      ]);
    expect(restarts.length).toBeGreaterThan(0);
    for (const { groups: { pods = '', then = '' } = {} } of restarts)
      for (const deployment of pods.trim().split(' ')) expect(then).toContain(`rollout status ${deployment}`);
  });
});
