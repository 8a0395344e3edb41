import { z } from 'zod';
import type { Log } from '../process/log.ts';
import type { Step } from '../process/lifecycle.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Variables of OpenTelemetry with their standard meaning. The exporter itself reads others, such as the headers. */
export const tracingFields = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as http://127.0.0.1:4318' })
    .optional()
    .describe(
      'URL of an OpenTelemetry collector, to which traces are sent by OTLP/HTTP with the path `/v1/traces`; without it there are no traces. OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME and other variables of the exporter have their standard meaning',
    ),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, { error: `must be one of ${SAMPLERS.join(', ')}` })
    .default('parentbased_always_on')
    .describe(`which traces are recorded: ${SAMPLERS.map((name) => `\`${name}\``).join(', ')}`),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: 'must be a number from 0 to 1' })
    .min(0, 'must be at least 0')
    .max(1, 'must be at most 1')
    .default(1)
    .describe('the part of the traces that `traceidratio` and `parentbased_traceidratio` record, from 0 to 1'),
};

export type TracingEnv = z.infer<z.ZodObject<typeof tracingFields>>;

/** Begins to send traces if the environment names a collector. Otherwise the SDK is not even imported. @returns how to stop */
export async function startTracing(env: TracingEnv, serviceName: string, log: Log): Promise<Step[]> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return [];
  const { startSdk } = await import('./sdk.ts');
  return [startSdk(env, serviceName, log)];
}
