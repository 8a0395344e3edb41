import type { estypes } from '@elastic/elasticsearch';

export type Query = estypes.QueryDslQueryContainer;
export type SearchBody = estypes.SearchSearchRequestBody;
export type Found = estypes.MsearchMultiSearchItem;
