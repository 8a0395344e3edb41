import { CHECKOUT } from '@ugc/local-stack/service-process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { kustomizations, manifestFiles, type Manifest } from '../kubernetes/manifests.ts';

// What people build on: overlays, override files, volumes, selectors, routes of alerts. How much of something there is, such
// as memory, and how often something is asked may change.

type Json = any;

const read = (file: string): string => readFileSync(join(CHECKOUT, file), 'utf8');
/** Tags such as `!override` are those of Docker Compose. */
const readYaml = (file: string): Json => parseAllDocuments(read(file), { logLevel: 'silent', merge: true })[0]?.toJS();

/** An entry for each value with its place; an element of a list is named by its `name`, or is the value. */
function leaves(value: Json, place: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((each: Json, n) =>
      each === null || typeof each !== 'object' ? [`${place}[] ${each}`] : leaves(each, `${place}[${each.name ?? each.alert ?? n}]`),
    );
  if (value === null || typeof value !== 'object') return [`${place} ${value}`];
  return [place, ...Object.entries(value).flatMap(([key, each]) => leaves(each, `${place}.${key}`))];
}

const COMPOSE_KEYS = ['ports', 'volumes', 'profiles', 'environment', 'networks', 'container_name', 'network_mode', 'user'];
const COMPOSE_FILES = ['docker-compose.yml', 'docker-compose.opensearch.yml'];

/** Names of services and volumes, what is published and mounted, profiles and variables. */
export function composeEntries(): string[] {
  return COMPOSE_FILES.flatMap((file) => {
    const { name, services, volumes } = readYaml(file);
    return [
      ...(name ? [`${file}: project ${name}`] : []),
      ...leaves(volumes ?? {}, `${file}: volumes`),
      ...Object.entries<Json>(services).flatMap(([service, described]) => [
        `${file}: service ${service}`,
        ...COMPOSE_KEYS.filter((key) => key in described && !isOfStore(service, key)).flatMap((key) =>
          leaves(described[key], `${file}: service ${service}.${key}`),
        ),
        // A program of the service is named by its file; how Node.js is set up may change.
        ...[described.command ?? []]
          .flat()
          .flatMap((word: string) => (/\.ts$/.test(word) ? [`${file}: service ${service} runs ${word}`] : [])),
        ...(/^(\$\{|postgres:)/.test(described.image ?? '') ? [`${file}: service ${service}.image ${described.image}`] : []),
      ]),
    ];
  });
}

/** How a store is set up may change; under which name it is reached, and where its data are, may not. */
function isOfStore(service: string, key: string): boolean {
  return key === 'environment' && ['redis', 'elasticsearch', 'grafana'].includes(service);
}

/** What a start needs of the operator: variables without a default, and files of theirs. */
export function composeNeeds(): string[] {
  return COMPOSE_FILES.flatMap((file) => {
    const { services, volumes, networks, secrets, configs } = readYaml(file);
    const outside = Object.entries<Json>({ ...volumes, ...networks, ...secrets, ...configs }).filter(
      ([, one]) => one?.external || one?.file,
    );
    return [
      ...[...read(file).matchAll(/\$\{(\w+):?\?/g)].map(([, name]) => `${file}: ${name}`),
      ...outside.map(([name]) => `${file}: ${name} exists`),
      ...Object.entries<Json>(services).flatMap(([service, { env_file: files }]) =>
        [files ?? []]
          .flat()
          .filter((one: Json) => one.required !== false)
          .map(() => `${file}: env_file of ${service}`),
      ),
    ];
  });
}

const TUNED =
  /\.(resources|topologySpreadConstraints|strategy|behavior|affinity|rules|metrics|replicas|minReplicas|maxReplicas|minAvailable|maxUnavailable|sizeLimit|\w*Seconds|\w*Threshold|\w*Limit|schedule|interval|seccompProfile|capabilities|args)\b/;
/** Kubernetes refuses a change of these, also one that adds something. */
const IMMUTABLE = ['selector', 'volumeClaimTemplates', 'serviceName', 'podManagementPolicy', 'storageClassName'];

/** Names, labels, ports, mounts and variables of the manifests. */
export function kubernetesEntries(): string[] {
  const folders = kustomizations.flatMap(({ folder, kustomization }) => [
    `${folder}: ${kustomization.kind}`,
    ...(kustomization.components ?? []).map((component) => `${folder}: component ${component}`),
    ...[...(kustomization.configMapGenerator ?? []), ...(kustomization.secretGenerator ?? [])].flatMap((generator) =>
      leaves(withoutFiles(generator), `${folder}: generator ${generator.name}`),
    ),
    ...(kustomization.images ?? []).map(({ name }) => `${folder}: image ${name}`),
  ]);
  return [
    ...folders,
    ...manifestFiles.flatMap(({ path, documents }) => documents.flatMap((document) => manifestEntries(dirname(path), document))),
  ];
}

/** Their values are random, or copies of other files. */
function withoutFiles(generator: Json): Json {
  const { files: _, envs: __, ...rest } = generator;
  return rest;
}

function manifestEntries(folder: string, { kind, metadata, spec = {} }: Manifest): string[] {
  const where = `${folder}: ${kind} ${metadata.name}`;
  const pods = [spec.template?.spec, spec.jobTemplate?.spec.template.spec].filter((pod) => pod !== undefined);
  return [
    where,
    ...leaves(metadata, `${where} metadata`),
    ...leaves(spec, `${where} spec`).filter((entry) => !isTuned(entry)),
    ...IMMUTABLE.filter((key) => key in spec).map((key) => `${where} has ${key} ${JSON.stringify(withoutSize(spec[key]))}`),
    // Patches of overlays name a container by its place.
    ...pods.flatMap((pod) => (pod.containers as { name: string }[]).map(({ name }, n) => `${where} container ${n} is ${name}`)),
  ];
}

/** Of a command, the file of its program is what people copy; of images, those that overlays name. */
function isTuned(entry: string): boolean {
  return (
    TUNED.test(entry) || (/\.command\[\] /.test(entry) && !/\.ts$/.test(entry)) || (/\.image /.test(entry) && !/ ugc-service$/.test(entry))
  );
}

function withoutSize(value: Json): Json {
  return JSON.parse(JSON.stringify(value, (key, each: Json) => (key === 'resources' ? undefined : each)));
}

/** What the manifests of a folder need: Secrets and ConfigMaps of the operator, kinds of others, and ways through the network. */
export function kubernetesNeeds(): string[] {
  return manifestFiles.flatMap(({ path, documents }) =>
    documents.flatMap(({ apiVersion, kind, spec = {} }) => [
      `${dirname(path)}: ${apiVersion} ${kind}`,
      ...referencesIn(spec).map((name) => `${dirname(path)}: ${name}`),
      // A policy closes what it does not open.
      ...(kind === 'NetworkPolicy'
        ? [`${dirname(path)}: ${JSON.stringify(spec.policyTypes)} of ${JSON.stringify(spec.podSelector)} is closed`]
        : []),
    ]),
  );
}

function referencesIn(value: Json): string[] {
  if (value === null || typeof value !== 'object') return [];
  const own = [
    'secretRef',
    'configMapRef',
    'secretKeyRef',
    'configMapKeyRef',
    'secret',
    'configMap',
    'persistentVolumeClaim',
    'imagePullSecrets',
  ]
    .filter((key) => value[key] && !value[key].optional)
    .map(
      (key) => `${key} ${[value[key].name ?? value[key].secretName ?? value[key].claimName ?? '', value[key].key ?? ''].join(' ').trim()}`,
    );
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

/** What the last stages of the Dockerfile set, and what `docker buildx bake` builds. */
export function imageEntries(): string[] {
  const [, ...stages] = read('Dockerfile').split(/^FROM /m);
  const published = [...stages.filter((stage) => / AS (base|embedder)\n/.test(stage)), stages.at(-1) ?? ''];
  const lines = published.flatMap((stage) => {
    const name = / AS (\w+)\n/.exec(stage)?.[1] ?? 'service';
    const set = [...stage.matchAll(/^(USER|WORKDIR|EXPOSE|ENV|ENTRYPOINT|CMD|VOLUME) (.*)$/gm)];
    const folders = [...stage.matchAll(/^RUN install --directory .*$/gm)].flatMap(([line]) => line.match(/ \/\S+/g) ?? []);
    return [
      ...set.flatMap(([, instruction = '', rest = '']) =>
        instruction === 'EXPOSE' || instruction === 'ENV'
          ? rest.split(' ').map((word) => `${instruction} ${word}`)
          : [`${instruction} ${programIn(rest)}`],
      ),
      ...folders.map((folder) => `folder${folder}`),
    ].map((entry) => `image ${name}: ${entry}`);
  });
  const bake = [...read('docker-bake.hcl').matchAll(/^(variable|group|target) "(\w+)"|^ +(?:tags|platforms|default) += .*$/gm)];
  return [...lines, ...bake.map(([line]) => `bake: ${line.trim().replaceAll(/ +/g, ' ')}`)];
}

/** Without options of Node.js. */
function programIn(command: string): string {
  return command.replaceAll(/"--[^"]*", /g, '');
}

/** Names of jobs, of the dashboard and of data sources. */
export function monitoringEntries(): string[] {
  const { scrape_configs: jobs } = readYaml('deploy/prometheus/prometheus.yml');
  const { datasources } = readYaml('deploy/grafana/provisioning/datasources/prometheus.yml');
  const dashboard = 'deploy/grafana/dashboards/ugc-service.json';
  const { uid, templating, panels } = JSON.parse(read(dashboard));
  return [
    ...jobs.map(({ job_name: name }: Json) => `job ${name}`),
    ...datasources.map(({ name, uid: id, type }: Json) => `data source ${name} ${id} ${type}`),
    `dashboard ${basename(dashboard)} ${uid}`,
    ...(templating?.list ?? []).map(({ name }: Json) => `variable ${name} of the dashboard`),
    ...panels.map(({ id, title }: Json) => `panel ${id} of the dashboard is ${title}`),
  ];
}

/** By what alerts are routed, silenced and grouped, and when they fire. */
export function alertEntries(): string[] {
  const { groups } = readYaml('deploy/prometheus/alerts.yml') as { groups: { name: string; rules: Json[] }[] };
  return groups.flatMap(({ name: group, rules }) =>
    rules.flatMap(({ alert, expr, for: pending = '0s', labels, annotations, keep_firing_for: kept }) => [
      `${alert}: group ${group}`,
      ...Object.entries(labels).map(([label, value]) => `${alert}: ${label} ${value}`),
      ...Object.keys(annotations).map((name) => `${alert}: annotation ${name}`),
      `${alert}: for ${pending}`,
      ...(kept ? [`${alert}: keep_firing_for ${kept}`] : []),
      `${alert}: ${String(expr).replaceAll(/\s+/g, ' ').trim()}`,
    ]),
  );
}

/** What the stores must permit. */
export function privilegeEntries(): string[] {
  const { role_descriptors: roles } = JSON.parse(read('deploy/elasticsearch/api-key.json'));
  return leaves(roles, 'Elasticsearch');
}
