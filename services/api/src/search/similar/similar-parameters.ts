import { z } from 'zod';
import { ContentItem, ContentSummary } from '../../content/content-item.ts';
import type { Limits } from '../../env.ts';
import { integer, parseInteger, single } from '../../http/query-parameters.ts';
import { filterParameters } from '../filters.ts';
import { DEFAULT_PAGE_SIZE, fields, include } from '../parameters.ts';

export const MAX_SIMILAR = 20;

export function similarParameters(limits: Limits) {
  return z.object({
    ...filterParameters(limits),
    size: single(integer({ min: 1, max: MAX_SIMILAR }).default(DEFAULT_PAGE_SIZE), parseInteger).describe('The maximum number of items.'),
    include,
    fields,
  });
}

export type SimilarParameters = z.output<ReturnType<typeof similarParameters>>;

const DESCRIPTION = 'The most similar items first, at most two of a creator.';

/** There are no totals, because how many items resemble another one is a matter of degree. */
const SimilarItems = z.object({ content: z.array(ContentItem).max(MAX_SIMILAR).describe(DESCRIPTION) }).meta({ id: 'SimilarItems' });
const SimilarSummaries = SimilarItems.extend({ content: z.array(ContentSummary).max(MAX_SIMILAR).describe(DESCRIPTION) }).meta({
  id: 'SimilarSummaries',
});
export const AnySimilarItems = z.union([SimilarItems, SimilarSummaries]).meta({ id: 'AnySimilarItems' });
