import { compose } from '@ugc/fields/types/texts';
import type { WrittenContent } from '@ugc/shared/contracts/content';
import { z } from 'zod';
import { coded } from '../problems/error-codes.ts';
import type { UploadLimits } from './limits.ts';
import { integerFrom } from './numbers.ts';
import { fileNameText, storableText, visibleText } from './text.ts';
import { visibilityFields, type Asked } from './visibility-fields.ts';
import { InvalidThumbnail, parseThumbnail, PARTS_MAX, THUMBNAIL_PATTERN } from '../pictures/thumbnail.ts';

const FILE_NAME_DESCRIPTION = `The name of the file that \`data\` is from, without a path, for downloads. Responses have it with
\`include=fileName\`.`;

const FIELDS_DESCRIPTION = `The values of the fields that the operator has declared, by name; see \`GET /api/fields\`. In an edit, fields
that are not named do not change, and null removes one. Ignored if no fields are declared.`;

export function contentFields(limits: UploadLimits) {
  return {
    name: visibleText({ max: limits.NAME_MAX_CHARACTERS, isComposed: true }),
    description: storableText({ min: 0, max: limits.DESCRIPTION_MAX_CHARACTERS }),
    version: integerFrom(0, 2_147_483_647),
    data: storableText({ min: 0, max: limits.DATA_MAX_CHARACTERS }).describe(
      'The payload. It is stored and returned unchanged, and is not searchable.',
    ),
    fileName: fileNameText().describe(FILE_NAME_DESCRIPTION),
    thumbnail: thumbnail(limits),
    tags: tags(limits),
    fields: declaredFields(),
  } satisfies Record<keyof WrittenContent | 'thumbnail', z.ZodType>;
}

/** The body of an upload. Unknown fields are ignored. */
export function uploadSchema(limits: UploadLimits) {
  const fields = contentFields(limits);
  return z
    .object(
      {
        creatorId: integerFrom(1, Number.MAX_SAFE_INTEGER).describe('The id of the creator: the user of the token.'),
        ...fields,
        // Many serializers write null for a field without a value.
        fileName: fields.fileName.nullish().transform((value) => value ?? undefined),
        thumbnail: fields.thumbnail.nullish().transform((value) => value ?? undefined),
        tags: fields.tags.nullish().transform((value) => value ?? []),
        ...visibilityFields,
        publishAt: visibilityFields.publishAt.transform((value) => value ?? undefined),
      },
      { error: 'must be a JSON object' },
    )
    .meta({ id: 'Upload' });
}

export type Upload = z.output<ReturnType<typeof uploadSchema>>;

/** A JSON merge patch (RFC 7396): missing fields do not change; null removes an optional field. */
export function editSchema(limits: UploadLimits) {
  const fields = contentFields(limits);
  return z
    .object(
      {
        ...z.object(fields).partial().shape,
        fileName: fields.fileName.nullable().optional(),
        thumbnail: fields.thumbnail.nullable().optional(),
        tags: fields.tags
          .nullable()
          .transform((value) => value ?? [])
          .optional(),
        ...visibilityFields,
      },
      { error: 'must be a JSON object' },
    )
    .meta({ id: 'Edit' });
}

export type EditBody = z.output<ReturnType<typeof editSchema>>;
/** What it changes of the item itself. */
export type Edit = Omit<EditBody, keyof Asked>;

/** Names and tags are stored in normalization form NFC: tags that look the same are the same. */
export function composeTexts<T extends Pick<Edit, 'name' | 'tags' | 'fileName'>>(fields: T): T {
  const { name, tags, fileName } = fields;
  return {
    ...fields,
    ...(name !== undefined && { name: compose(name) }),
    ...(tags && { tags: [...new Set(tags.map(compose))] }),
    ...(fileName && { fileName: compose(fileName) }),
  };
}

function tags(limits: UploadLimits) {
  const list = z
    .array(visibleText({ max: limits.TAG_MAX_CHARACTERS, isComposed: true }), { error: 'must be an array of strings' })
    .meta({ maxItems: limits.TAGS_MAX });
  // Zod validates all elements of an array before its length, so the length is checked first.
  return z
    .preprocess((value, ctx) => {
      if (!Array.isArray(value) || value.length <= limits.TAGS_MAX) return value;
      ctx.addIssue({
        code: 'custom',
        message: `has more than ${limits.TAGS_MAX} tags`,
        params: coded('too-many', { max: limits.TAGS_MAX, is: value.length }),
      });
      return z.NEVER;
    }, list)
    .transform((tags) => [...new Set(tags)])
    .describe('The order is preserved; duplicates are removed.');
}

/** The object, the values of a field, an entry of a group, and the value of a part. */
const FIELDS_LEVELS = 4;

/**
 * What is nested deeper is no value of any type: it becomes an empty object, which is none either. Functions that follow all
 * levels, such as `JSON.stringify`, would exceed the stack.
 */
function withoutLevelsBelow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return {};
  if (Array.isArray(value)) return value.map((each) => withoutLevelsBelow(each, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutLevelsBelow(inner, levels - 1)]));
}

/** The rules of items check them, by the fields that are declared then. Without any, clients may send what they like. */
function declaredFields() {
  return z
    .unknown()
    .transform((value) => withoutLevelsBelow(value, FIELDS_LEVELS))
    .optional()
    .meta({ type: ['object', 'null'], additionalProperties: true })
    .describe(FIELDS_DESCRIPTION);
}

function thumbnail(limits: UploadLimits) {
  return z
    .string({ error: 'must be a string' })
    .meta({ minLength: 1, pattern: THUMBNAIL_PATTERN })
    .transform((value, ctx) => {
      try {
        return parseThumbnail(value, { limitBytes: limits.THUMBNAIL_MAX_BYTES, limitSide: limits.THUMBNAIL_MAX_SIDE });
      } catch (error) {
        if (!(error instanceof InvalidThumbnail)) throw error;
        ctx.addIssue({ code: 'custom', message: error.message, params: error.coded });
        return z.NEVER;
      }
    })
    .describe(
      `A complete PNG, JPEG, WebP or GIF image in base64, with or without a \`data:\` URL prefix. Its bytes decide the type. It has at
most ${limits.THUMBNAIL_MAX_BYTES} bytes, ${limits.THUMBNAIL_MAX_SIDE} x ${limits.THUMBNAIL_MAX_SIDE} pixels and ${PARTS_MAX} parts (segments, chunks or blocks). Metadata such
as EXIF, XMP and GPS, and what follows the end of the image, are not stored; orientation and colour profile are.`,
    );
}
