import { fill, type FirstMessages, type Forms, type Key, type LaterMessages, type Messages, type Rest } from './fill.ts';
import { directionOf, type Language } from './languages.ts';

type Load<T> = Record<Language, () => Promise<{ messages: T }>>;

/** Each becomes a file of its own. The document names the first one, so that it is loaded together with the script. */
const FIRST: Load<FirstMessages> = {
  en: () => import('./en.ts'),
  de: () => import('./de.ts'),
  es: () => import('./es.ts'),
  fr: () => import('./fr.ts'),
  pt: () => import('./pt.ts'),
  ja: () => import('./ja.ts'),
  ar: () => import('./ar.ts'),
};
/** The texts of the parts that are loaded later. */
const LATER: Load<LaterMessages> = {
  en: () => import('./later/en.ts'),
  de: () => import('./later/de.ts'),
  es: () => import('./later/es.ts'),
  fr: () => import('./later/fr.ts'),
  pt: () => import('./later/pt.ts'),
  ja: () => import('./later/ja.ts'),
  ar: () => import('./later/ar.ts'),
};

/** Where the browser keeps the language that the reader has chosen. */
export const CHOSEN_LANGUAGE = 'language';

type Browser = { document?: { documentElement: { lang: string; dir: string } }; localStorage: { getItem(key: string): string | null } };
const browser = globalThis as unknown as Browser;
/** Undefined in Node.js. */
const root = browser.document?.documentElement;
/** Without the names of `LANGUAGES`, which only the document needs. */
const toLanguage = (code: string | null | undefined): Language | undefined =>
  Object.hasOwn(FIRST, code ?? '') ? (code as Language) : undefined;
const served = toLanguage(root?.lang) ?? 'en';
const chosen = toLanguage(root && browser.localStorage.getItem(CHOSEN_LANGUAGE));

async function load(code: Language) {
  return { language: code, messages: (await FIRST[code]()).messages as Messages };
}

/** The language of the page: that of the document, unless the reader has chosen another one. */
const loaded = await load(chosen ?? served).catch(() => load(served));
export const { language } = loaded;
const all: Messages = { ...loaded.messages };

let later: Promise<unknown> | undefined;

/** Before a text of `later` is said. @throws if the file cannot be loaded; then it may be tried again */
export function loadLaterTexts(): Promise<unknown> {
  return (later ??= LATER[language]().then(
    (read) => Object.assign(all, read.messages),
    (error: unknown) => {
      later = undefined;
      throw error;
    },
  ));
}

if (root) Object.assign(root, { lang: language, dir: directionOf(language) });
else await loadLaterTexts();

/** A text in the language of the page. @example t('items', { n: 2 }) → '2 items' */
export function t<K extends Key>(key: K, ...[values]: Rest<K, string | number>): string {
  return fill<string | number>(language, all[key], values).join('');
}

/** An element, or a text. */
type Part = object | string | number;

/** The parts of a text of which the values may be elements. */
export function parts<K extends Key>(key: K, ...[values]: Rest<K, Part>): Part[] {
  return fill<Part>(language, all[key], values);
}

/** A text that is said later, or by a file that has no texts. */
export type Said = { [K in Key]: [key: K, ...Rest<K, string | number>] }[Key];

/** The text with its placeholders. @returns undefined for one of `later` that is not loaded */
export const writtenAs = (key: Key): string | Forms | undefined => all[key];

export const say = ([key, ...values]: Said): string => (t as (...said: unknown[]) => string)(key, ...values);
