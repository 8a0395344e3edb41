import { ACCESS_MUTANTS } from './access.ts';
import { BENCHMARK_MUTANTS } from './benchmark.ts';
import { DOCUMENTATION_MUTANTS } from './documentation.ts';
import { FACET_MUTANTS } from './facets.ts';
import { FILTER_MUTANTS } from './filters.ts';
import { HIGHLIGHT_MUTANTS } from './highlight.ts';
import { INDICES_MUTANTS } from './indices.ts';
import { LIMITS_MUTANTS } from './limits.ts';
import type { Mutant } from './mutant.ts';
import { OPERATIONS_MUTANTS } from './operations.ts';
import { OUTBOX_MUTANTS } from './outbox.ts';
import { PROMPT_MUTANTS } from './prompts.ts';
import { PROTOCOL_MUTANTS } from './protocol.ts';
import { RESOURCES_MUTANTS } from './resources.ts';
import { SEARCH_TEXT_MUTANTS } from './search-text.ts';
import { SUGGESTION_MUTANTS } from './suggestions.ts';
import { TRAFFIC_MUTANTS } from './traffic.ts';
import { WEB_PAGE_MUTANTS } from './web-page.ts';

/** All mutants. When a line that a mutant quotes changes, the mutant must be updated. */
export const MUTANTS: Mutant[] = [
  ...PROTOCOL_MUTANTS,
  ...OUTBOX_MUTANTS,
  ...INDICES_MUTANTS,
  ...ACCESS_MUTANTS,
  ...RESOURCES_MUTANTS,
  ...LIMITS_MUTANTS,
  ...PROMPT_MUTANTS,
  ...FILTER_MUTANTS,
  ...SEARCH_TEXT_MUTANTS,
  ...SUGGESTION_MUTANTS,
  ...TRAFFIC_MUTANTS,
  ...FACET_MUTANTS,
  ...HIGHLIGHT_MUTANTS,
  ...BENCHMARK_MUTANTS,
  ...DOCUMENTATION_MUTANTS,
  ...WEB_PAGE_MUTANTS,
  ...OPERATIONS_MUTANTS,
];
