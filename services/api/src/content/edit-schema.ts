import { z } from 'zod';
import type { Limits } from '../env.ts';
import { contentFields } from './upload-schema.ts';

/**
 * The body of an edit, a JSON merge patch (RFC 7396): what is not named stays, null takes away what an item can be without.
 * Fields of other names are dropped.
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

/** Only the named fields are there. */
export type Edit = z.output<ReturnType<typeof editSchema>>;
