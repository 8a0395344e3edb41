import { z } from 'zod';
import { coded } from '../problems/error-codes.ts';
import { parseTime } from './times.ts';

/** What a creator may ask for. */
const CHOICES = ['public', 'unlisted', 'draft'] as const;
export type Choice = (typeof CHOICES)[number];

/** What a request says about who sees an item. `publishAt` in milliseconds since 1970; null: at no time. */
export type Asked = { visibility?: Choice | undefined; publishAt?: number | null | undefined };

const VISIBILITY_DESCRIPTION = `Who sees the item. \`draft\`: its creator alone. \`unlisted\`: whoever has its key, and no list. Without
it, a new item is \`public\`, and that of another one stays.`;

const PUBLISH_AT_DESCRIPTION = `When the item becomes public: until then it is a draft, or unlisted. In an edit, null removes the time.`;

const TIME_RULE = 'must be a time with an offset such as 2026-12-24T18:00:00+01:00, or a date';
const LAST = Date.parse('9999-12-31T23:59:59Z');
const FIRST = Date.parse('0001-01-01');

const publishTime = z
  .string({ error: TIME_RULE })
  .meta({ format: 'date-time' })
  .transform(parseTime)
  .refine((ms) => ms >= FIRST && ms <= LAST, { error: TIME_RULE, params: coded('wrong-type', { expected: 'time' }) });

/** A request that lacks them, and one that has null for both, say nothing: the hash of a repeated upload stays. */
export const visibilityFields = {
  visibility: z
    .enum(CHOICES, { error: 'must be public, unlisted or draft' })
    .nullish()
    .transform((value) => value ?? undefined)
    .describe(VISIBILITY_DESCRIPTION),
  publishAt: publishTime.nullable().optional().describe(PUBLISH_AT_DESCRIPTION),
};
