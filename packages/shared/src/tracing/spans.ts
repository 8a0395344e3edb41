import type * as openTelemetry from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanContext, SpanKind, SpanOptions } from '@opentelemetry/api';

type Api = typeof openTelemetry;

/** `parent`: a span of another process. `isRoot`: begins a trace, whatever span is active. */
type Options = Omit<SpanOptions, 'kind'> & { kind?: keyof typeof SpanKind; parent?: SpanContext | undefined; isRoot?: boolean };

/** A process without tracing does not load it. */
let api: Api | undefined;

/** Spans are made from now on. */
export function switchOn(loaded: Api): void {
  api = loaded;
}

/** Whether spans are made. Without OTEL_EXPORTER_OTLP_ENDPOINT they never are, and nothing looks for an active span. */
export function isTracing(): boolean {
  return api !== undefined;
}

/** Runs `work` within a span, which ends with it. Without tracing, `work` gets no span. */
export async function inSpan<T>(name: string, options: Options, work: (span?: Span) => Promise<T>): Promise<T> {
  if (!api) return work();
  const { context, trace } = api;
  const parent = contextOf(api, options);
  const span = startIn(api, name, options, parent);
  try {
    const result = await context.with(trace.setSpan(parent, span), () => work(span));
    span.end();
    return result;
  } catch (error) {
    endSpan(span, error);
    throw error;
  }
}

/** A span that begins now and has no children. Without tracing there is none. */
export function startSpan(name: string, options: Options): Span | undefined {
  return api && startIn(api, name, options);
}

function startIn(tracing: Api, name: string, options: Options, parent = contextOf(tracing, options)): Span {
  const { kind = 'INTERNAL', ...others } = options;
  return tracing.trace.getTracer('ugc').startSpan(name, { ...others, kind: tracing.SpanKind[kind] }, parent);
}

/**
 * A span of a request to a store. Work without a span, such as a health check, has none either.
 * @param describe is called only if there is a span
 */
export function startClientSpan(describe: () => { name: string; attributes: Attributes }): Span | undefined {
  if (!api?.trace.getActiveSpan()?.isRecording()) return undefined;
  const { name, attributes } = describe();
  return startSpan(name, { kind: 'CLIENT', attributes });
}

/** Texts of errors may contain what users have written, so a span has only the type. */
export function endSpan(span: Span | undefined, error?: unknown): void {
  if (!span) return;
  if (error !== undefined && error !== null) {
    markFailed(span);
    span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
  }
  span.end();
}

export function markFailed(span: Span | undefined): void {
  if (api) span?.setStatus({ code: api.SpanStatusCode.ERROR });
}

/** Runs work that outlives the active span, or that is not only for it. */
export function outsideSpans<T>(work: () => T): T {
  return api ? api.context.with(api.ROOT_CONTEXT, work) : work();
}

/** The active span as the outbox stores it; null without one. */
export function activeTraceparent(): string | null {
  const span = api?.trace.getActiveSpan();
  return span ? formatTraceparent(span.spanContext()) : null;
}

function contextOf({ context, trace, ROOT_CONTEXT }: Api, { parent, isRoot = false }: Options): Context {
  if (parent) return trace.setSpanContext(ROOT_CONTEXT, parent);
  return isRoot ? ROOT_CONTEXT : context.active();
}

/** Later versions of the format may add fields after the flags. */
const TRACEPARENT = /^(?!ff)(?<version>[\da-f]{2})-(?<traceId>[\da-f]{32})-(?<spanId>[\da-f]{16})-(?<flags>[\da-f]{2})(?<more>-.*)?$/;

/** @returns undefined if the text is not valid (W3C Trace Context, section 3.2) */
export function parseTraceparent(text: string): SpanContext | undefined {
  const { version, traceId = '', spanId = '', flags = '', more } = TRACEPARENT.exec(text)?.groups ?? {};
  if (version === '00' && more !== undefined) return undefined;
  if ([traceId, spanId].some((id) => /^0*$/.test(id))) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`;
}
