import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

export const DEPLOY = new URL('../../../deploy/', import.meta.url);
const KUBERNETES = new URL('kubernetes/', DEPLOY);

type Labels = Record<string, string>;
type Probe = { httpGet?: { path: string; port: string }; exec?: { command: string[] } };
type Env = { name: string; value?: string; valueFrom?: { secretKeyRef?: { name: string; key: string } } };

export type Container = {
  name: string;
  image: string;
  command?: string[];
  env?: Env[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts?: { name: string; mountPath: string }[];
  lifecycle?: { preStop: { sleep: { seconds: number } } };
  securityContext: object;
  resources: { limits: { memory: string } };
} & { [probe in 'startupProbe' | 'livenessProbe' | 'readinessProbe']?: Probe };

export type PodSpec = {
  terminationGracePeriodSeconds: number;
  securityContext: { runAsUser: number };
  volumes?: { name: string; ephemeral?: { volumeClaimTemplate: object } }[];
  initContainers?: Container[];
  containers: Container[];
};

export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels };
  // Tests read what their kind of manifest has; the schemas check that it is there.
  spec: any;
};

export type Kustomization = Pick<Manifest, 'apiVersion' | 'kind'> & {
  resources?: string[];
  components?: string[];
  patches?: { path?: string; patch?: string; target: { kind: string; name: string } }[];
  configMapGenerator?: { name: string; literals: string[] }[];
  secretGenerator?: { name: string; envs: string[] }[];
  images?: { name: string }[];
};

export type ManifestFile = { path: string; documents: Manifest[] };

/** The YAML files of deploy/kubernetes by their path in it. @throws Error if one is not valid YAML */
function yamlFiles(): { path: string; documents: unknown[] }[] {
  const paths = readdirSync(KUBERNETES, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml'));
  return paths.toSorted().map((path) => ({ path, documents: readYaml(new URL(path, KUBERNETES)) }));
}

export function readYaml(file: URL): unknown[] {
  return parseAllDocuments(readFileSync(file, 'utf8'), { strict: true, uniqueKeys: true }).map((document) => {
    if ('errors' in document && document.errors[0]) throw new Error(`${file.pathname}: ${document.errors[0].message}`);
    return document.toJS() as unknown;
  });
}

const isKustomization = (path: string): boolean => path.endsWith('/kustomization.yaml');
/** A list of changes, and not a manifest. */
const isPatch = ({ documents }: { documents: unknown[] }): boolean => Array.isArray(documents[0]);

export const kustomizations = yamlFiles()
  .filter(({ path }) => isKustomization(path))
  .map(({ path, documents }) => ({ folder: path.replace('/kustomization.yaml', ''), kustomization: documents[0] as Kustomization }));

export const patches = yamlFiles().filter(isPatch) as { path: string; documents: { op: string; path: string; value: any }[][] }[];

export const manifestFiles = yamlFiles().filter((file) => !isKustomization(file.path) && !isPatch(file)) as ManifestFile[];

export const manifests = manifestFiles.flatMap(({ documents }) => documents);

/** @throws Error if there is not exactly one */
export function manifest(kind: string, name: string): Manifest {
  const [found, ...others] = manifests.filter((listed) => listed.kind === kind && listed.metadata.name === name);
  if (!found || others.length > 0) throw new Error(`deploy/kubernetes must have one ${kind} ${name}`);
  return found;
}

export const ofKind = (kind: string): Manifest[] => manifests.filter((listed) => listed.kind === kind);

export const podOf = ({ spec }: Manifest): PodSpec => spec.template.spec as PodSpec;

/** The container of the service. */
export function containerOf(deployment: Manifest): Container {
  const [container] = podOf(deployment).containers;
  if (!container) throw new Error(`${deployment.metadata.name} has no container`);
  return container;
}

export function portOf(container: Container, name: string): number {
  const port = container.ports?.find((listed) => listed.name === name);
  if (!port) throw new Error(`the container ${container.name} has no port ${name}`);
  return port.containerPort;
}

/** The variables of a ConfigMap, as the base and all overlays set it, the overlays last. */
export function configMap(name: string): Record<string, string> {
  const inOrder = kustomizations.toSorted((a, b) => Number(b.folder === 'base') - Number(a.folder === 'base'));
  const generators = inOrder.flatMap(({ kustomization }) => kustomization.configMapGenerator ?? []);
  return Object.fromEntries(
    generators
      .filter((generator) => generator.name === name)
      .flatMap(({ literals }) => literals)
      .map((literal) => [literal.slice(0, literal.indexOf('=')), literal.slice(literal.indexOf('=') + 1)]),
  );
}
