/** The bodies of the API that the page uses. Only types: the page sends its own requests, with the user's token. */
import type { Problem } from '../../../../client/src/generated/types.gen.ts';

export type {
  ContentItem,
  ContentSummary,
  ContentSummaryPage,
  Creator,
  Decision,
  Edit,
  Facets,
  OwnRating,
  Problem,
  SimilarSummaries,
  Suggestions,
  Upload,
} from '../../../../client/src/generated/types.gen.ts';

export type ErrorDetail = NonNullable<Problem['errors']>[number];
