import type { ItemRevision } from '@ugc/shared/outbox/states';
import { z } from 'zod';
import { nonNegativeInt32, positive } from '../http/integers.ts';
import { toTimestamp } from './content-item.ts';
import type { Upload } from './upload-schema.ts';

const timestamp = z.string().meta({ format: 'date-time' });

/** The response to an upload. The specification defines the field names. */
export const Uploaded = z
  .object({
    content_id: positive,
    data: z.string(),
    creator: z.object({
      user_id: positive,
      username: z.string(),
      credential: z.string().describe('Public identifier of the account, such as `issuer|subject`.'),
    }),
    name: z.string(),
    description: z.string(),
    version: nonNegativeInt32,
    contentDates: z.object({ content_id: positive, created_at: timestamp, updated_at: timestamp }),
  })
  .meta({ id: 'Uploaded' });
export type Uploaded = z.infer<typeof Uploaded>;

/** The dates are strings when read from `idempotency_key.outcome`. */
export type Created = ItemRevision & {
  created_at: Date | string;
  updated_at: Date | string;
  user_id: number;
  username: string;
  credential: string;
};

export function toUploadResponse(upload: Upload, created: Created): Uploaded {
  return {
    content_id: created.content_id,
    data: upload.data,
    creator: { user_id: created.user_id, username: created.username, credential: created.credential },
    name: upload.name,
    description: upload.description,
    version: upload.version,
    contentDates: {
      content_id: created.content_id,
      created_at: toTimestamp(new Date(created.created_at)),
      updated_at: toTimestamp(new Date(created.updated_at)),
    },
  };
}
