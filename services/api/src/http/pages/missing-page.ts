import type { Middleware } from 'koa';
import type { ApiEnv } from '../../env.ts';
import { readManifest, type PageLanguage } from '@ugc/web/build/pages';
import { preferredLanguage } from './page-language.ts';
import { escapeHtml, pagePolicy, staticFile } from './static-file.ts';

/** These stay problems, so that nobody without a token learns which paths the API has. */
const API_PATH = /^\/(api|content)(\/|$)/i;

/**
 * A browser that opens a path that does not exist gets a page that leads back to the collection; everybody else gets a
 * problem. @param files those of the web page
 */
export function missingPages(files: { path: string }[], { PAGE_NAME }: Pick<ApiEnv, 'PAGE_NAME'>): Middleware {
  const style = files.find(({ path }) => path.endsWith('.css'))?.path;
  const languages = style === undefined ? {} : readManifest('page').languages;
  return async (ctx, next) => {
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (style === undefined || !isRead || API_PATH.test(ctx.path)) return next();
    ctx.vary('Accept');
    if (ctx.accepts('json', 'html') !== 'html') return next();
    ctx.status = 404;
    const code = preferredLanguage(ctx, Object.keys(languages));
    const up = '../'.repeat(ctx.path.split('/').length - 2);
    const content = toHtml({ style, up, name: escapeHtml(PAGE_NAME), code, language: languages[code] as PageLanguage });
    ctx.set(staticFile({ path: '', fileName: 'missing.html', content, isImmutable: false, policy: POLICY }).headers);
    ctx.body = content;
  };
}

const POLICY = pagePolicy([]);

type Parts = { style: string; up: string; name: string; code: string; language: PageLanguage };

/** `up`: the relative path of the web page, also behind a proxy that adds a prefix. */
function toHtml({ style, up, name, code, language: { direction, texts } }: Parts): string {
  return `<!doctype html>
<html lang="${code}" dir="${direction}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(texts.missingTitle)} – ${name}</title>
<link rel="stylesheet" href="./${up}${style.slice(1)}">
<main class="welcome">
<h1>${escapeHtml(texts.missingHead)}</h1>
<p class="lead">${escapeHtml(texts.missingWhy)}</p>
<p><a href="./${up}">${escapeHtml(texts.missingBack)}</a></p>
</main>
</html>
`;
}
