import type { ParameterizedContext } from 'koa';

/**
 * The language of `languages` that the reader prefers: the first range of `Accept-Language`, by its quality values, of which
 * the page has the language (a lookup, RFC 4647, section 3.4); else the first of the page.
 */
export function preferredLanguage(ctx: ParameterizedContext, languages: string[]): string {
  ctx.vary('Accept-Language');
  for (const range of ctx.acceptsLanguages()) {
    const wanted = range === '*' ? ctx.acceptsLanguages(languages) : range.split('-')[0]?.toLowerCase();
    const found = languages.find((language) => language === wanted);
    if (found !== undefined) return found;
  }
  return languages[0] ?? '';
}
