import type { Span, SpanContext } from '@opentelemetry/api';
import type { ChangeResult } from '@ugc/shared/outbox/acknowledge';
import type { TracedChange } from '@ugc/shared/outbox/read-pending-changes';
import { startSpan, parseTraceparent } from '@ugc/shared/tracing/spans';

/** A job has up to 500 changes. Viewers of traces load the linked traces, or show a list of them. */
const LINKS_MAX = 100;

type Change = { parent: SpanContext; changedAt: number };

/**
 * The changes of a job that were made in traces of requests. The job has a trace of its own, with links to them: as a
 * child of one request it would be missing in the others. Without tracing nothing is done.
 */
export class TracedChanges {
  readonly #span: Span | undefined;
  readonly #changes = new Map<number, Change>();

  constructor(span: Span | undefined) {
    this.#span = span;
  }

  read(rows: ({ pendingId: number } & TracedChange)[]): void {
    if (!this.#span) return;
    for (const { pendingId, traceparent, changedSecondsAgo } of rows) {
      const parent = traceparent === null ? undefined : parseTraceparent(traceparent);
      if (!parent) continue;
      // The clock of PostgreSQL may differ from that of this process.
      this.#changes.set(pendingId, { parent, changedAt: Date.now() - 1_000 * changedSecondsAgo });
      if (this.#changes.size <= LINKS_MAX) this.#span.addLink({ context: parent });
    }
  }

  /** Adds to the trace of each acknowledged change how long it took from its commit until it was indexed. */
  acknowledged(results: ChangeResult[]): void {
    for (const change of results) {
      const traced = this.#changes.get(change.contentId);
      if (change.result === 'acknowledged' && traced) this.#addSearchable(change, traced);
    }
  }

  #addSearchable({ contentId, revision }: { contentId: number; revision: number }, { parent, changedAt }: Change): void {
    const links = this.#span ? [{ context: this.#span.spanContext() }] : [];
    const attributes = { 'ugc.content_id': contentId, 'ugc.revision': revision };
    startSpan('searchable', { parent, startTime: changedAt, links, attributes })?.end();
  }
}
