import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  type Resource,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { errorMessage } from '../process/error-message.ts';
import type { Log } from '../process/log.ts';
import type { Step } from '../process/lifecycle.ts';
import { withTimeout } from '../timing/timeouts.ts';
import { switchOn } from './spans.ts';
import type { TracingEnv } from './start-tracing.ts';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';

const SEND_EVERY_MS = 1_000;
/** Above this, spans are discarded: a collector that does not respond must not fill the memory. */
const WAITING_SPANS_MAX = 2_048;
/** Each request has at most 512 spans. */
const REQUESTS_MAX = 4;
const STOP_TIMEOUT_MS = 1_500;

/** The only module that imports the SDK. @returns a step that sends the last spans */
export function startSdk(env: TracingEnv, serviceName: string, log: Log): Step {
  const exporter = new ReportingExporter(new OTLPTraceExporter({ concurrencyLimit: REQUESTS_MAX }), log);
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS, maxQueueSize: WAITING_SPANS_MAX });
  const provider = new TracerProvider({ resource: resourceOf(serviceName), sampler: samplerOf(env), spanProcessors: [processor] });
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.trace.setGlobalTracerProvider(provider);
  switchOn(api);
  log.info({ sampler: env.OTEL_TRACES_SAMPLER }, 'traces are sent');
  return () => withTimeout(STOP_TIMEOUT_MS, provider.shutdown());
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence. */
function resourceOf(serviceName: string): Resource {
  const detected = detectResources({ detectors: [serviceInstanceIdDetector, envDetector] });
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': serviceName }))
    .merge(detected);
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: part }: TracingEnv): Sampler {
  const root = rootSampler(name.replace('parentbased_', ''), part);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, part: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(part);
  return name === 'always_on' ? new AlwaysOnSampler() : new AlwaysOffSampler();
}

/** Logs when the collector stops to accept spans, and when it accepts them again; not each failure. */
class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Log;
  #isFailing = false;

  constructor(exporter: SpanExporter, log: Log) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      this.#report(result);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #report({ code, error }: ExportResult): void {
    const isFailing = code !== ExportResultCode.SUCCESS;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    if (isFailing) this.#log.warn({ reason: errorMessage(error) }, 'the collector does not accept traces; they are discarded');
    else this.#log.info('the collector accepts traces again');
  }
}
