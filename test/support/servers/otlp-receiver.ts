import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Attribute = { key: string; value: { stringValue?: string; intValue?: number | string } };
type Sent = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<Span, 'service'> & { attributes: Attribute[] })[] }[];
  }[];
};

export type Span = {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, string | number>;
  links: { traceId: string; spanId: string }[];
  status?: { code?: number };
};

export type Receiver = { url: string; spans: Span[]; bodies: string[]; stop(): Promise<void> };

/** A collector that receives OTLP/HTTP in JSON. */
export async function otlpReceiver(): Promise<Receiver> {
  const spans: Span[] = [];
  const bodies: string[] = [];
  const receive = async (request: IncomingMessage): Promise<void> => {
    const body = await text(request);
    bodies.push(JSON.stringify(request.headers), body);
    if (request.url === '/v1/traces') spans.push(...toSpans(JSON.parse(body) as Sent));
  };
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    void receive(request).then(() => response.end('{}'));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, bodies, stop };
}

function toSpans({ resourceSpans }: Sent): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(toRecord(resource.attributes)['service.name']);
    const spans = scopeSpans.flatMap((scope) => scope.spans);
    return spans.map((span) => ({ ...span, service, attributes: toRecord(span.attributes), links: span.links }));
  });
}

function toRecord(attributes: Attribute[]): Record<string, string | number> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));
}
