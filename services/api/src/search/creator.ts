import { toTimestamp } from '@ugc/items/changes/content-item';
import { noSuchCreator } from '@ugc/items/people/token-users';
import { nonNegative, positive, timestamp } from '@ugc/shared/contracts/content';
import { LIVE, type ContentDocument } from '@ugc/shared/contracts/content-index';
import type { estypes } from '@elastic/elasticsearch';
import { z } from 'zod';
import { publicFields } from './downloads.ts';
import type { SearchDeps } from './list.ts';
import { totalOf } from './response.ts';
import { inSession, type Caller } from './session.ts';

export const Creator = z
  .object({
    userId: positive.describe('The `creatorId` of the items.'),
    username: z.string(),
    itemsCount: positive.describe('The number of items, as on a page of the list of this creator.'),
    downloadsCount: nonNegative.describe('The sum of the downloads of these items.'),
    firstCreatedAt: timestamp.describe('When the first of these items was stored.'),
  })
  .meta({ id: 'Creator' });

/**
 * What lists show of a creator, together. Nothing else is said of a user, so one whose items are all hidden or deleted is
 * unknown, as one who has none.
 * @throws Problem 404 without items in lists · errors of `inSession`
 */
export async function readCreator(
  deps: Omit<SearchDeps, 'pages' | 'database'>,
  creatorId: number,
  caller: Caller,
): Promise<z.infer<typeof Creator>> {
  return inSession(deps, caller, async (session) => {
    const { hits, aggregations } = await session.search({
      query: { bool: { filter: [LIVE, { term: { creatorId } }] } },
      size: 1,
      // Any of them: the name is the same.
      sort: ['_doc'],
      track_total_hits: true,
      _source: ['creatorName'],
      aggregations: {
        downloads: { sum: { field: publicFields(session.index).downloadsCount } },
        first: { min: { field: 'createdAt' } },
      },
    });
    const [hit] = hits.hits;
    if (!hit) throw noSuchCreator();
    const value = (name: string): number => (aggregations?.[name] as estypes.AggregationsSumAggregate).value ?? 0;
    return {
      userId: creatorId,
      username: (hit._source as Pick<ContentDocument, 'creatorName'>).creatorName,
      itemsCount: totalOf(hits),
      downloadsCount: value('downloads'),
      firstCreatedAt: toTimestamp(new Date(value('first'))),
    };
  });
}
