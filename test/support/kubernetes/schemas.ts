import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { CronJob } from 'kubernetes-models/batch/v1/CronJob';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Service } from 'kubernetes-models/v1/Service';
import type { Manifest } from './manifests.ts';

type Model = { apiVersion: string; kind: string; prototype: { validate(): void } };

const MODELS = [
  ScaledObject,
  PodMonitor,
  PrometheusRule,
  Deployment,
  StatefulSet,
  HorizontalPodAutoscaler,
  NetworkPolicy,
  PodDisruptionBudget,
  CronJob,
  Namespace,
  PersistentVolumeClaim,
  Service,
] as unknown as Model[];

/** @throws Error with what the schema of Kubernetes, KEDA or the Prometheus Operator refuses, or with the fields that it does not know */
export function checkSchema(manifest: Manifest): void {
  const model = MODELS.find(({ apiVersion, kind }) => apiVersion === manifest.apiVersion && kind === manifest.kind);
  if (!model) throw new Error(`there is no schema for ${manifest.apiVersion} ${manifest.kind}`);
  const read = new Set<string>();
  // A constructed model would be a copy.
  model.prototype.validate.call(recorded(manifest, '', read) as never);
  const unknown = pathsOf(manifest, '').filter((path) => !read.has(path));
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`);
}

/** The schemas permit unknown fields. The code that is generated from them reads every field that it knows, and no other. */
function recorded(value: unknown, path: string, read: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      const child: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol') return child;
      read.add(`${path}/${key}`);
      return recorded(child, `${path}/${key}`, read);
    },
  });
}

function pathsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [`${path}/${key}`, ...pathsOf(child, `${path}/${key}`)]);
}
