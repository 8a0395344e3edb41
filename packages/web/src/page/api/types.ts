/** The bodies of the API that the page uses. Only types: the page sends its own requests, with the user's token. */
import type { ContentSummarySlice, Problem } from '../../../../client/src/generated/types.gen.ts';

export type {
  ContentItem,
  ContentSummary,
  ContentSummaryPage,
  ContentSummarySlice,
  Creator,
  Edit,
  Facets,
  OwnRating,
  Problem,
  ReviewDecision,
  SimilarSummaries,
  Suggestions,
  Upload,
} from '../../../../client/src/generated/types.gen.ts';

export type ErrorDetail = NonNullable<Problem['errors']>[number];

/**
 * A page of a list. Only lists that have no facets beside them say how many items they have: they are read from PostgreSQL.
 */
export type ListPage = ContentSummarySlice & { totalElements?: number };

/** A page without the items that the user has deleted. `removed`: how many it had of them. */
export type ShownPage = ListPage & { removed: number };
