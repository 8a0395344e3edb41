import { z } from 'zod';
import { ContentItem } from '../content/content-item.ts';
import { Rating } from '../content/rate-content.ts';
import { editSchema } from '../content/edit-schema.ts';
import { IndexStatus } from '../content/get-index-status.ts';
import { uploadSchema } from '../content/upload-schema.ts';
import { Uploaded } from '../content/upload-response.ts';
import type { Limits } from '../env.ts';
import { Readiness } from '../observability/readiness.ts';
import { Liveness } from '../routes/health.ts';

const Sort = z.object({ empty: z.boolean(), sorted: z.boolean(), unsorted: z.boolean() }).meta({ id: 'Sort' });

const ContentPage = z
  .object({
    content: z.array(ContentItem),
    pageable: z.object({
      pageNumber: z.int(),
      pageSize: z.int(),
      sort: Sort,
      offset: z.int(),
      paged: z.boolean(),
      unpaged: z.boolean(),
    }),
    last: z.boolean(),
    first: z.boolean(),
    totalElements: z.int().describe('Exact, however many there are.'),
    totalPages: z.int(),
    size: z.int(),
    number: z.int().describe('Zero-based.'),
    sort: Sort,
    numberOfElements: z.int(),
    empty: z.boolean(),
  })
  .meta({ id: 'ContentPage' });

const ProblemDetails = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    requestId: z.string(),
    errors: z
      .array(z.object({ pointer: z.string().optional(), parameter: z.string().optional(), detail: z.string() }))
      .optional()
      .describe('What is wrong with the request, each with a pointer into the body or the name of a parameter; the first 100.'),
    errorsOmitted: z.int().min(1).optional().describe('How many further errors `errors` does not list.'),
  })
  .meta({ id: 'Problem' });

/** The JSON Schemas of every body, by the names that operations refer to. */
export function componentSchemas(limits: Limits): Record<string, unknown> {
  const answers = { ContentItem, ContentPage, Sort, Uploaded, IndexStatus, Problem: ProblemDetails, Liveness, Readiness };
  return {
    ...toJsonSchemas(answers, 'output'),
    ...toJsonSchemas({ Upload: uploadSchema(limits), Edit: editSchema(limits), Rating }, 'input'),
  };
}

function toJsonSchemas(schemas: Record<string, z.ZodType>, io: 'input' | 'output'): Record<string, unknown> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const { schemas: converted } = z.toJSONSchema(registry, { io, uri: (id) => `#/components/schemas/${id}`, unrepresentable: 'any' });
  return Object.fromEntries(Object.entries(converted).map(([id, schema]) => [id, withoutIds(schema)]));
}

// In a document the schemas are known by their place.
function withoutIds({ $id: _id, $schema: _schema, id: _own, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return schema;
}
