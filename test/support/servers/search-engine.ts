import { searchServer } from '@ugc/local-stack/search-server';

/** Whether the tests run on OpenSearch: `SEARCH=opensearch npx pnpm test`. */
export const IS_OPENSEARCH = searchServer().server === 'OpenSearch';
