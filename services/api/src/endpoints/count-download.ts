import { countDownload as count } from '../content/count-download.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import { RATINGS_TAG } from './examples.ts';

export function countDownload(): Endpoint {
  return endpoint({
    method: 'post',
    path: '/api/content/{id}/downloads',
    cost: 'write',
    tag: RATINGS_TAG,
    operationId: 'countDownload',
    summary: 'Count a download',
    responses: { 204: { description: 'The download is counted.' } },
    async handle({ database, perItemQueue }, { ctx, contentId }) {
      await perItemQueue.run(contentId, () => count(database, contentId));
      ctx.status = 204;
    },
  });
}
