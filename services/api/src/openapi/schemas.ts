import { ContentItem, Highlights } from '../content/content-item.ts';
import { Rating } from '../content/rate-content.ts';
import { editSchema } from '../content/edit-schema.ts';
import { IndexStatus } from '../content/get-index-status.ts';
import { uploadSchema } from '../content/upload-schema.ts';
import { Uploaded } from '../content/upload-response.ts';
import type { Limits } from '../env.ts';
import { ProblemDetails } from '../http/problem.ts';
import { Readiness } from '../operators/readiness.ts';
import { Facets } from '../facets/facets.ts';
import { Liveness } from '../routes/health.ts';
import { Explanation } from '../prompt/explanation.ts';
import { SortKeyText } from '../search/list-parameters.ts';
import { ContentPage, Sort } from '../search/page.ts';
import { Suggestions } from '../suggestions/suggestions.ts';
import { OwnUser } from '../users/own-user.ts';
import { toJsonSchemas } from './json-schema.ts';

/** The JSON Schemas of all bodies by name. */
export function componentSchemas(limits: Limits): Record<string, unknown> {
  const responses = {
    ContentItem,
    ContentPage,
    Facets,
    Highlights,
    Interpretation: Explanation,
    Sort,
    Suggestions,
    Uploaded,
    IndexStatus,
    User: OwnUser,
    Problem: ProblemDetails,
    Liveness,
    Readiness,
  };
  return {
    ...toJsonSchemas(responses, 'output'),
    ...toJsonSchemas({ Upload: uploadSchema(limits), Edit: editSchema(limits), Rating, SortKey: SortKeyText }, 'input'),
  };
}
