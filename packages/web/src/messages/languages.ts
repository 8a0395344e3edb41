/**
 * The languages of the web page, and what each calls itself. The first is that of readers whose language is none of them. A
 * further one is a line here, the two files of its texts, and their loading in `texts.ts`: types and tests say what lacks.
 */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  pt: 'Português',
  ja: '日本語',
  ar: 'العربية',
} as const;

export type Language = keyof typeof LANGUAGES;

export function isLanguage(code: string | null | undefined): code is Language {
  return Object.hasOwn(LANGUAGES, code ?? '');
}

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}
