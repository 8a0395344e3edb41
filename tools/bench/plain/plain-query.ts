import type * as Replaced from '../../../services/api/src/search/query.ts';
import { LIVE } from '@ugc/shared/contracts/content-index';

/** What a service asks that leaves everything to Elasticsearch. Name and tags are counted more often by `text` itself. */
export const buildQuery: typeof Replaced.buildQuery = (interpretation, filters = []) => {
  if (!interpretation) return { bool: { filter: [LIVE, ...filters] } };
  const words = { multi_match: { query: interpretation.text, fields: ['folded.name.words^3', 'words', 'text'] } };
  return { bool: { must: [words], filter: [LIVE, ...filters] } };
};
export const bonusesOf: typeof Replaced.bonusesOf = () => [];
export const onlyExcludes: typeof Replaced.onlyExcludes = () => false;
export const wordCountQuery: typeof Replaced.wordCountQuery = (interpretation) => buildQuery(interpretation);
