import { z } from 'zod';

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const collector = z.url({ protocol: /^https?$/, error: 'must be an http or https URL, such as http://127.0.0.1:4318' }).optional();

/** Variables of OpenTelemetry with their standard meaning. The exporter itself reads others, and the headers. */
export const tracingFields = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.describe(
    'URL of an OpenTelemetry collector, to which traces are sent by OTLP/HTTP with the path `/v1/traces`; without it there are no traces',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.describe('complete URL for traces, instead of OTEL_EXPORTER_OTLP_ENDPOINT'),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional().describe('headers for the collector, such as `api-key=…`; a secret'),
  OTEL_SERVICE_NAME: z.string().optional().describe('name of the process in traces; `ugc-api` or `ugc-indexer` if unset'),
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
  OTEL_SDK_DISABLED: z
    .string()
    .default('false')
    .transform((value) => value.toLowerCase() === 'true')
    .describe('`true` switches traces off, whatever the other variables are'),
};

export type TracingEnv = z.infer<z.ZodObject<typeof tracingFields>>;
