import type { ApiEnv } from '../env.ts';
import { htmlPage } from './html-page.ts';
import type { StaticFile } from './static-file.ts';

/** The web page for people at `/`, or nothing with WEB_PAGE=false. @throws Error if the page is not built */
export function webPage(env: ApiEnv): StaticFile[] {
  if (!env.WEB_PAGE) return [];
  const settings = {
    'user-claim': env.JWT_USER_CLAIM,
    'thumbnail-max-bytes': env.THUMBNAIL_MAX_BYTES,
    'thumbnail-max-side': env.THUMBNAIL_MAX_SIDE,
  };
  return htmlPage({ name: 'page', path: '/', title: 'Collection', settings });
}
