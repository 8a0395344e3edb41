import type { Log } from '../process/log.ts';
import type { Step } from '../process/shutdown.ts';
import type { TracingEnv } from './tracing-env.ts';

/** Begins to send traces if the environment names a collector. Otherwise the SDK is not even imported. @returns how to stop */
export async function startTracing(env: TracingEnv, serviceName: string, log: Log): Promise<Step[]> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return [];
  const { startSdk } = await import('./sdk.ts');
  return [startSdk(env, serviceName, log)];
}
