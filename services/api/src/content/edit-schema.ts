import { z } from 'zod';
import type { Limits } from '../env.ts';
import { contentFields } from './upload-schema.ts';

/**
 * The body of an edit: a JSON merge patch (RFC 7396). Missing fields do not change; null removes an optional field.
 * Unknown fields are ignored.
 */
export function editSchema(limits: Limits) {
  const { thumbnail, tags, ...fields } = contentFields(limits);
  return z
    .object(
      {
        ...z.object(fields).partial().shape,
        thumbnail: thumbnail.nullable().optional(),
        tags: tags
          .nullable()
          .transform((value) => value ?? [])
          .optional(),
      },
      { error: 'must be a JSON object' },
    )
    .meta({ id: 'Edit' });
}

/** Contains only the fields to change. */
export type Edit = z.output<ReturnType<typeof editSchema>>;
