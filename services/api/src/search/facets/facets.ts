import { z } from 'zod';
import type { Limits } from '../../env.ts';
import { repeatable, single } from '../../http/query-parameters.ts';
import { MAX_COUNTED, MAX_COUNTED_APART } from '@ugc/fields/counts';
import { storableText } from '@ugc/items/fields/text';
import { matchParameters } from '../parameters.ts';
import { timestamp, nonNegative, positive } from '@ugc/shared/contracts/content';
import { INTERVAL_NAMES } from './intervals.ts';
import { COUNTED_MAX } from './sampling.ts';

const count = positive.describe('The number of items.');
const other = nonNegative.describe('The sum of the counts of all other values.');
const exact = z
  .boolean()
  .describe('Whether all counts are exact. They always are unless the index has several shards, or they are counted in part.');

/** The most frequent values of a facet that are shown. */
export const VALUES_MAX = 20;

const TagCount = z.object({ tag: z.string(), count });
const CreatorCount = z.object({ creatorId: positive, creatorName: z.string(), count });
const RatingCount = z.object({
  stars: z.int().min(0).max(5).describe('The average rating without its fraction; 0 without ratings.'),
  count,
});
const DownloadCount = z.object({ min: nonNegative, max: nonNegative, count });
const CreatedCount = z.object({ from: timestamp, to: timestamp, count: nonNegative });

const FieldFacet = z.object({
  values: z.array(z.object({ value: z.string().describe('As `where` takes it.'), count })).max(VALUES_MAX),
  other,
  exact: z
    .boolean()
    .describe(
      'Whether all counts are exact. Beside several values or a range of another part of its group, a part with many values may have a larger `other` than is right.',
    ),
});
export type FieldFacet = z.infer<typeof FieldFacet>;

/** The values of the matches of a list. Each facet ignores the filters that choose from its own values. */
export const Facets = z
  .object({
    totalElements: nonNegative.describe('The exact number of matching items, as on a page of the list.'),
    countedAt: timestamp
      .optional()
      .describe(
        'Present only if the index has very many distinct tags and creators: the facets count the items as they were then, at most a minute ago.',
      ),
    sampled: z
      .record(z.string(), z.number())
      .optional()
      .describe(
        'Present only with `counts=sampled`: the facets that were counted in part, such as `tags` or `fields.licence`, and which part. The others are exact.',
      ),
    facets: z.object({
      tags: z.object({ values: z.array(TagCount).max(VALUES_MAX), other, exact }).describe('The most frequent tags. Ignores `anyTags`.'),
      creators: z
        .object({ values: z.array(CreatorCount).max(VALUES_MAX), other, exact })
        .describe('The creators of the most items. Ignores `creatorId`.'),
      ratings: z.object({ values: z.array(RatingCount) }).describe('By full stars, the best first. Ignores `minRating`.'),
      downloads: z
        .object({ values: z.array(DownloadCount) })
        .describe('By powers of ten. `min` and `max` are values of `minDownloads` and `maxDownloads`, which are ignored.'),
      created: z
        .object({ interval: z.enum(INTERVAL_NAMES), values: z.array(CreatedCount) })
        .describe(
          'By time, without gaps; more than 60 years are without those that have no items. `from` and `to` are values of `createdFrom` and `createdTo`, which are ignored.',
        ),
      fields: z
        .record(z.string(), FieldFacet)
        .optional()
        .describe(
          'Present only with `facetFields`: the most frequent values of each field that it names. Ignores the conditions of `where` on this field, or on this part of a group.',
        ),
    }),
  })
  .meta({ id: 'Facets' });
export type Facets = z.infer<typeof Facets>;

/** Parameters of a list that do not change its matches are ignored. */
export function facetParameters(limits: Limits) {
  return z.object({
    ...matchParameters(limits),
    tagPrefix: single(storableText({ min: 0, max: limits.TAG_MAX_CHARACTERS }).optional()).meta({
      description: 'Counts only tags that begin with this text, regardless of accents and letter case.',
      example: 'pix',
    }),
    counts: single(z.enum(['exact', 'sampled'], 'must be exact or sampled').default('exact')).meta({
      description: `With \`sampled\`, the counts of more than ${COUNTED_MAX.toLocaleString('en')} matches are estimated by a part of them; \`totalElements\` is exact. The response says which are in \`sampled\`.`,
    }),
    facetFields: repeatable(z.array(storableText({ min: 1, max: 100 })).optional(), { max: MAX_COUNTED }).meta({
      description: `The declared fields whose values are counted, such as \`licence\`, or \`build.game\` for a part of a group. At most ${MAX_COUNTED_APART} of them may have conditions of \`where\`.`,
      example: ['licence'],
    }),
  });
}

export type FacetParameters = z.output<ReturnType<typeof facetParameters>>;
