import type { estypes } from '@elastic/elasticsearch';
import { SearchFailed } from './search-failed.ts';

/** @throws SearchFailed when the response does not cover the complete index */
export function parseSearchResponse(response: Uint8Array): estypes.SearchResponse {
  const parsed = JSON.parse(Buffer.from(response.buffer, response.byteOffset, response.byteLength).toString()) as estypes.SearchResponse;
  if (parsed.timed_out) throw new SearchFailed('the search timed out');
  if (parsed._shards.failed > 0) throw new SearchFailed(`${parsed._shards.failed} shards failed`);
  return parsed;
}

/** The exact number of matching items, of a search with `track_total_hits`. */
export function totalOf({ total }: estypes.SearchHitsMetadata): number {
  return (total as estypes.SearchTotalHits).value;
}
