import type { ParameterizedContext } from 'koa';

/**
 * The language of `languages` that the reader prefers: the first range of `Accept-Language`, by its quality values, of which
 * the page has the language (a lookup, RFC 4647, section 3.4); else the first of the page.
 */
export function preferredLanguage(ctx: ParameterizedContext, languages: string[]): string {
  ctx.vary('Accept-Language');
  const [otherwise = ''] = languages;
  for (const range of ctx.acceptsLanguages()) {
    if (range === '*') return ctx.acceptsLanguages(languages) || otherwise;
    const found = languages.find((language) => language === range.split('-', 1)[0]?.toLowerCase());
    if (found !== undefined) return found;
  }
  return otherwise;
}
