import type { Limits } from '../env.ts';
import { countDownload } from './count-download.ts';
import { countFacets } from './count-facets.ts';
import { deleteContent } from './delete-content.ts';
import { editContent } from './edit-content.ts';
import type { Endpoint } from './endpoint.ts';
import { getContent } from './get-content.ts';
import { getIndexStatus } from './get-index-status.ts';
import { getOpenApiDocument } from './get-openapi-document.ts';
import { getThumbnail } from './get-thumbnail.ts';
import { getLiveness, getReadiness } from './health.ts';
import { listContent } from './list-content.ts';
import { listSimilarContent } from './list-similar-content.ts';
import { ensureOwnUser, getOwnUser } from './own-user.ts';
import { rateContent, unrateContent } from './rate-content.ts';
import { suggestContent } from './suggest-content.ts';
import { uploadContent } from './upload-content.ts';

/** All endpoints, in the order of the OpenAPI document. A new endpoint is one more line. */
const ENDPOINTS: ((limits: Limits) => Endpoint)[] = [
  listContent,
  countFacets,
  suggestContent,
  listSimilarContent,
  uploadContent,
  getContent,
  editContent,
  deleteContent,
  getThumbnail,
  getIndexStatus,
  rateContent,
  unrateContent,
  countDownload,
  getOwnUser,
  ensureOwnUser,
  getOpenApiDocument,
  getLiveness,
  getReadiness,
];

export function allEndpoints(limits: Limits): Endpoint[] {
  return ENDPOINTS.map((create) => create(limits));
}
