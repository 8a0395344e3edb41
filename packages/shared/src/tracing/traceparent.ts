import { isSpanContextValid, type SpanContext } from '@opentelemetry/api';

/** Later versions of the format may add fields after the flags. */
const TRACEPARENT = /^(?!ff)(?<version>[\da-f]{2})-(?<traceId>[\da-f]{32})-(?<spanId>[\da-f]{16})-(?<flags>[\da-f]{2})(?<more>-.*)?$/;

/** @returns undefined if the text is not valid (W3C Trace Context, section 3.2) */
export function parseTraceparent(text: string): SpanContext | undefined {
  const { version, traceId = '', spanId = '', flags = '', more } = TRACEPARENT.exec(text)?.groups ?? {};
  if (version === '00' && more !== undefined) return undefined;
  const parsed = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parsed) ? parsed : undefined;
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`;
}
