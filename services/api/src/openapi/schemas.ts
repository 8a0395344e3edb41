import { z } from 'zod';
import { ContentItem, Highlights } from '../content/content-item.ts';
import { Rating } from '../content/rate-content.ts';
import { editSchema } from '../content/edit-schema.ts';
import { IndexStatus } from '../content/get-index-status.ts';
import { uploadSchema } from '../content/upload-schema.ts';
import { Uploaded } from '../content/upload-response.ts';
import type { Limits } from '../env.ts';
import { ProblemDetails } from '../http/problem.ts';
import { Readiness } from '../observability/readiness.ts';
import { Facets } from '../facets/facets.ts';
import { Liveness } from '../routes/health.ts';
import { Explanation } from '../prompt/explanation.ts';
import { ContentPage, Sort } from '../search/page.ts';
import { Suggestions } from '../suggestions/suggestions.ts';

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
    Problem: ProblemDetails,
    Liveness,
    Readiness,
  };
  return {
    ...toJsonSchemas(responses, 'output'),
    ...toJsonSchemas({ Upload: uploadSchema(limits), Edit: editSchema(limits), Rating }, 'input'),
  };
}

function toJsonSchemas(schemas: Record<string, z.ZodType>, io: 'input' | 'output'): Record<string, unknown> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const { schemas: converted } = z.toJSONSchema(registry, { io, uri: (id) => `#/components/schemas/${id}`, unrepresentable: 'any' });
  return Object.fromEntries(Object.entries(converted).map(([id, schema]) => [id, withoutIds(schema)]));
}

// In the document, references use the location of a schema instead of its id.
function withoutIds({ $id: _id, $schema: _schema, id: _own, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return schema;
}
