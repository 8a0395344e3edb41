import type { Mutant } from './mutant.ts';

/** Traces of changes. */
export const TRACES_MUTANTS: Mutant[] = [
  {
    file: 'packages/shared/src/outbox/mark-pending.ts',
    within: 'insertPending',
    from: 'traceparent = excluded.traceparent, changed_at = clock_timestamp()',
    to: 'changed_at = clock_timestamp()',
    why: 'the trace of an edit ends with that of an earlier edit, or never',
    test: 'pipeline/traces',
  },
  {
    file: 'services/indexer/src/jobs/traced-changes.ts',
    within: 'TracedChanges',
    from: 'if (this.#changes.size <= LINKS_MAX) this.#span',
    to: 'this.#span',
    why: 'the span of a job has hundreds of links',
    test: 'pipeline/traces',
  },
  {
    file: 'packages/shared/src/tracing/sdk.ts',
    within: 'ReportingExporter',
    from: 'if (isFailing === this.#isFailing) return;',
    to: '',
    why: 'a collector that is down fills the log',
    test: 'pipeline/traces',
  },
  {
    file: 'services/api/src/http/request-log.ts',
    within: 'traceRequest',
    from: 'isTracing() && !ctx.path.startsWith(HEALTH)',
    to: 'isTracing()',
    why: 'most of the traces are health checks',
    test: 'pipeline/traces',
  },
];
