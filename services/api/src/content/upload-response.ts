import type { ItemRevision } from '@ugc/shared/outbox/states';
import { z } from 'zod';
import { nonNegativeInt32, positive } from '@ugc/shared/contracts/integers';
import { toTimestamp } from './content-item.ts';
import type { Upload } from './upload-schema.ts';

const timestamp = z.string().meta({ format: 'date-time' });

/** The response to an upload. The specification defines these field names, unlike those of all other responses. */
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
  createdAt: Date | string;
  updatedAt: Date | string;
  userId: number;
  username: string;
  credential: string;
};

export function toUploadResponse(upload: Upload, created: Created): Uploaded {
  return {
    content_id: created.contentId,
    data: upload.data,
    creator: { user_id: created.userId, username: created.username, credential: created.credential },
    name: upload.name,
    description: upload.description,
    version: upload.version,
    contentDates: {
      content_id: created.contentId,
      created_at: toTimestamp(new Date(created.createdAt)),
      updated_at: toTimestamp(new Date(created.updatedAt)),
    },
  };
}
