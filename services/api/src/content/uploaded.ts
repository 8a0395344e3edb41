import { z } from 'zod';
import { toTimestamp } from './content-item.ts';
import type { Created } from './create-content.ts';
import type { Upload } from './upload.ts';

const timestamp = z.string().meta({ format: 'date-time' });

/** The answer to an upload; nested objects are in snake_case, as the specification has it. */
export const Uploaded = z
  .object({
    content_id: z.int(),
    data: z.string(),
    creator: z.object({
      user_id: z.int(),
      username: z.string(),
      credential: z.string().describe('A public handle of the account, such as `issuer|subject`.'),
    }),
    name: z.string(),
    description: z.string(),
    version: z.int(),
    contentDates: z.object({ content_id: z.int(), created_at: timestamp, updated_at: timestamp }),
  })
  .meta({ id: 'Uploaded' });

export function toUploaded(upload: Upload, created: Created): z.infer<typeof Uploaded> {
  return {
    content_id: created.content_id,
    data: upload.data,
    creator: { user_id: created.user_id, username: created.username, credential: created.credential },
    name: upload.name,
    description: upload.description,
    version: upload.version,
    contentDates: {
      content_id: created.content_id,
      created_at: toTimestamp(created.created_at),
      updated_at: toTimestamp(created.updated_at),
    },
  };
}
