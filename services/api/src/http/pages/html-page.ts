import type { ParameterizedContext } from 'koa';
import { NO_FIELDS, toStored, type Definitions } from '@ugc/fields/definition';
import type { DeclaredField } from '@ugc/shared/contracts/declared-field';
import type { ProviderMetadata, SignInSettings } from '@ugc/shared/contracts/sign-in';
import { readBuilt, readManifest, type BuiltFile, type EntryName, type PageLanguage } from '@ugc/web/build/pages';
import type { ApiEnv } from '../../env.ts';
import { accentStyles } from '../../page-settings/accent.ts';
import { readLogo } from './logo.ts';
import { preferredLanguage } from './page-language.ts';
import { escapeHtml, pagePolicy, shortHash, staticFile, type LazyFile, type StaticFile } from './static-file.ts';

/** Thumbnails are `blob:` URLs, because an <img> cannot send a token. Nothing may become HTML or script. */
const policyFor = (origins: string[]): string => pagePolicy(["img-src 'self' blob:"], ["require-trusted-types-for 'script'"], origins);

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3a5bd9"/><g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"><circle cx="14.5" cy="14.5" r="6.5"/><path d="m19.5 19.5 5 5"/></g></svg>`;

export type HtmlPageOptions = {
  name: EntryName;
  path: string;
  title: string;
  /** Data attributes of the document's element, which the script reads: `{ 'user-claim': 'sub' }`. */
  settings: Record<string, string | number>;
  /** The code of the language of its texts. Undefined: English, for a page that has no other. */
  language?: string;
  /** What is shown until the script is loaded. */
  placeholder?: string;
  /** The other origins to which the page sends requests. */
  origins?: string[];
  /** A script that runs before that of the page. */
  firstScript?: StaticFile | undefined;
  /** What follows the page. */
  foot?: string;
  /** Files of the operator. `styles`: they replace those of the page. */
  own?: { logo?: StaticFile | undefined; styles?: StaticFile | undefined };
};

/**
 * The paths in the document are relative, so that it also works behind a proxy that adds a prefix. The styles come after the
 * placeholder, because a browser shows nothing that follows them until they are loaded. @throws if it is not built
 */
export function htmlPage(options: HtmlPageOptions): [document: StaticFile, ...StaticFile[]] {
  const { name, path, title, language = 'en', settings, placeholder = '', origins = [], firstScript, foot = '', own = {} } = options;
  const built = readBuilt(name);
  const { texts, direction, needsScript } = ofLanguage(built.languages[language]);
  const icon = asset({ fileName: `icon-${shortHash(ICON)}.svg`, content: Buffer.from(ICON) });
  const [script, imported, later, styles] = [
    asset(built.script),
    built.imported.map(asset),
    built.later.map(asset),
    built.styles.map(asset),
  ];
  const attributes = Object.entries(settings).map(([key, value]) => ` data-${key}="${escapeHtml(String(value))}"`);
  const content = `<!doctype html>
<html lang="${language}" dir="${direction}"${attributes.join('')}>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href=".${(own.logo ?? icon).path}">
${linesOf(firstScript ? [firstScript, script] : [script], (source) => `<script type="module" src="${source}"></script>`)}
${linesOf([...imported, ...later.filter(({ path: file }) => file === `/assets/${texts}`)], (source) => `<link rel="modulepreload" href="${source}">`)}
<body>
<div id="page">${placeholder}<noscript>${needsScript}</noscript></div>
${foot}${linesOf(own.styles ? [...styles, own.styles] : styles, (source) => `<link rel="stylesheet" href="${source}">`)}
</body>
</html>
`;
  const document = staticFile({ path, fileName: 'index.html', content, isImmutable: false, policy: policyFor(origins) });
  const owned = [own.logo, own.styles].filter((file) => file !== undefined);
  return [document, script, ...imported, ...later, ...styles, icon, ...owned];
}

function linesOf(files: StaticFile[], toLine: (source: string) => string): string {
  return files.map((file) => toLine(`.${file.path}`)).join('\n');
}

/** The name contains a hash of the content, so that browsers never need to ask for it again. */
function asset({ fileName, content }: BuiltFile): StaticFile {
  return staticFile({ path: `/assets/${fileName}`, fileName, content, isImmutable: true });
}

/** What the document of a page needs of its language, or of English if it has no other. */
function ofLanguage({ script, direction, texts }: Partial<PageLanguage> = {}) {
  return { texts: script, direction: direction ?? 'ltr', needsScript: escapeHtml(texts?.needsScript ?? 'This page needs JavaScript.') };
}

/** A slow network has loaded the script by then. */
const RELOAD_AFTER = '15s';

/**
 * A search field and cards below it, drawn without the styles, which are not loaded yet. A script that is lost on its way, or
 * that another release has by another name, cannot say so: the animation needs neither script nor style.
 */
const placeholderOf = ({
  loading,
  notYet,
  reload,
}: PageLanguage['texts']): string => `<svg role="img" aria-label="${escapeHtml(loading)}" width="100%" height="480" fill="CanvasText" fill-opacity=".08">
<rect x="20%" width="60%" height="44" rx="22"/>
<rect y="92" width="31%" height="320" rx="14"/><rect x="34.5%" y="92" width="31%" height="320" rx="14"/>
<rect x="69%" y="92" width="31%" height="320" rx="14"/></svg>
<svg width="100%" height="80" visibility="hidden"><set attributeName="visibility" to="visible" begin="${RELOAD_AFTER}"/>
<foreignObject width="100%" height="80">${escapeHtml(notYet)} <a href="">${escapeHtml(reload)}</a></foreignObject></svg>`;

type Changing = { provider: ProviderMetadata | undefined; fields: Definitions };
/** What the document says that may change while the service runs. `findProvider`: undefined if users do not sign in. */
type Sources = { findProvider: (() => Promise<ProviderMetadata | undefined>) | undefined; findFields: () => Promise<Definitions> };

export function webPage(env: ApiEnv, { findProvider, findFields }: Sources): (StaticFile | LazyFile)[] {
  if (!env.WEB_PAGE) return [];
  const script = findProvider && asset(readBuilt('sign-in').script);
  const { languages } = readManifest('page');
  const codes = Object.keys(languages);
  const own = { logo: readLogo(env.PAGE_LOGO), styles: ownStyles(env) };
  const write = ({ provider, fields }: Changing, language: string): [StaticFile, ...StaticFile[]] => {
    const options = pageOptions(env, languages, language, own);
    return htmlPage(withFields(script ? signInPage(env, options, script, provider) : options, fields));
  };
  const first: Changing = { provider: undefined, fields: NO_FIELDS };
  const [document, ...assets] = write(first, codes[0] ?? '');
  let written = { ...first, documents: new Map<string, StaticFile>() };
  const make = async (ctx: ParameterizedContext): Promise<StaticFile> => {
    const language = preferredLanguage(ctx, codes);
    // Without PostgreSQL, the page is as it was.
    const [provider, fields] = await Promise.all([findProvider?.(), findFields().catch(() => written.fields)]);
    if (provider !== written.provider || fields !== written.fields) written = { provider, fields, documents: new Map() };
    const known = written.documents.get(language) ?? write(written, language)[0];
    written.documents.set(language, known);
    return known;
  };
  return [{ path: document.path, make }, ...assets, ...(script ? [script] : [])];
}

function withFields(options: HtmlPageOptions, fields: Definitions): HtmlPageOptions {
  if (fields.size === 0) return options;
  return { ...options, settings: { ...options.settings, fields: JSON.stringify(toStored(fields) satisfies DeclaredField[]) } };
}

/**
 * The links of the operator, and the languages of the page: in the document, so that the script is not larger for them. The
 * script shows the languages, and says the links in another one if the reader has chosen it.
 */
function footOf(
  { PAGE_LINKS: { report: _, ...links } = {} }: ApiEnv,
  languages: Record<string, PageLanguage>,
  texts: PageLanguage['texts'],
) {
  const items = (Object.entries(links) as [keyof typeof links, string][]).map(
    ([name, address]) => `<a href="${escapeHtml(address)}" data-text="${name}">${escapeHtml(texts[name])}</a>`,
  );
  const options = Object.entries(languages).map(([code, { name }]) => `<option lang="${code}" value="${code}">${name}</option>`);
  const choice = `<select class="input" id="language" aria-label="${escapeHtml(texts.language)}" hidden>${options.join('')}</select>`;
  return `<footer class="foot">${[...items, choice].join('\n')}</footer>\n`;
}

function ownStyles({ PAGE_ACCENT: accent }: ApiEnv): StaticFile | undefined {
  const made = accent === undefined ? undefined : accentStyles(accent);
  if (!made || !('styles' in made)) return undefined;
  return asset({ fileName: `accent-${shortHash(made.styles)}.css`, content: Buffer.from(made.styles) });
}

function signInPage(env: ApiEnv, page: HtmlPageOptions, script: StaticFile, provider: ProviderMetadata | undefined): HtmlPageOptions {
  const { settings, ...options } = page;
  const signIn: SignInSettings = {
    script: script.path.replace('/assets', '.'),
    clientId: env.OIDC_CLIENT_ID ?? '',
    scope: env.OIDC_SCOPE,
    audience: env.JWT_AUDIENCE,
    provider,
  };
  const origins = provider ? [new URL(provider.token_endpoint).origin] : [];
  return { ...options, settings: { ...settings, 'sign-in': JSON.stringify(signIn) }, origins, firstScript: script };
}

function pageOptions(
  env: ApiEnv,
  languages: Record<string, PageLanguage>,
  language: string,
  own: NonNullable<HtmlPageOptions['own']>,
): HtmlPageOptions {
  const { texts } = languages[language] as PageLanguage;
  const settings = {
    name: env.PAGE_NAME,
    'user-claim': env.JWT_USER_CLAIM,
    'name-claim': env.JWT_NAME_CLAIM,
    'scope-claim': env.JWT_SCOPE_CLAIM,
    'data-max-characters': env.DATA_MAX_CHARACTERS,
    'thumbnail-max-bytes': env.THUMBNAIL_MAX_BYTES,
    'thumbnail-max-side': env.THUMBNAIL_MAX_SIDE,
    ...(own.logo && { logo: `.${own.logo.path}` }),
    ...(env.PAGE_ABOUT !== undefined && { about: env.PAGE_ABOUT }),
    ...(env.PAGE_LINKS?.report !== undefined && { report: env.PAGE_LINKS.report }),
  };
  const said = { placeholder: placeholderOf(texts), foot: footOf(env, languages, texts) };
  return { name: 'page', path: '/', title: env.PAGE_NAME, language, settings, ...said, own };
}
