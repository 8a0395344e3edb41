import { LANGUAGES, lettersOf, listed, listedPairs, type Language } from '../languages/languages.ts';
import { Remembered, textBytes } from '../words/remembered.ts';

/**
 * Other forms of a word, such as its plural, by tables of endings. Each rule is `ENDING>REPLACEMENT`; the ending is a
 * regular expression for words that `foldText` has folded. Every rule that fits is applied. Irregular forms are rules as
 * well. Stemmers would unite words that mean different things, such as Italian `porta` and `porto`. English has no rules,
 * since the analyzer of the index stems it.
 */

/** Those of a language. */
export type FormRules = { language: string; letters: RegExp; hasStems: boolean; rules: Rule[]; spelling: ReadonlyMap<string, string> };
type Rule = { ending: RegExp; replacement: string };

export function toFormRules(language: Language): FormRules[] {
  const { code, forms } = language;
  if (!forms) return [];
  const spelling = new Map(listedPairs(forms.spelling));
  return [
    { language: code, letters: lettersOf(language), hasStems: forms.leadTo === 'stem', rules: listed(forms.endings).map(toRule), spelling },
  ];
}

function toRule(rule: string): Rule {
  const [, ending = '', replacement = ''] = /(.*)>(.*)/.exec(rule) ?? [];
  return { ending: new RegExp(`(?:${ending})$`, 'u'), replacement };
}

const ALL = LANGUAGES.flatMap(toFormRules);

const MIN_FORM_LENGTH = 2;
const MIN_STEM_LENGTH = 3;

/**
 * @param languages the codes of those of the item
 * @returns the keys under which an item with the folded word is found by its other forms
 */
export function itemFormKeys(word: string, languages: readonly string[], all = ALL): string[] {
  const possible = all.filter(({ language, letters }) => languages.includes(language) && letters.test(word));
  return possible.flatMap((rules) => {
    const { written, shorter } = formsIn(rules, word);
    return [`${rules.language}=${written}`, ...shorter.map((form) => `${rules.language}:${form}`)];
  });
}

/** @returns the codes of the languages that keys name, each once */
export function languagesOfKeys(keys: readonly string[]): string[] {
  return ALL.map(({ language }) => language).filter((language) => keys.some((key) => /\w+/.exec(key)?.[0] === language));
}

/** @returns the keys of the items, in any language, that contain another form of the folded word */
export function promptFormKeys(word: string, all = ALL): string[] {
  return all
    .filter(({ letters }) => letters.test(word))
    .flatMap((rules) => {
      const { language, hasStems } = rules;
      const { written, shorter } = formsIn(rules, word);
      const stems = hasStems ? shorter.filter(({ length }) => length >= MIN_STEM_LENGTH) : [];
      return [`${language}:${written}`, ...shorter.map((form) => `${language}=${form}`), ...stems.map((stem) => `${language}:${stem}`)];
    });
}

type Forms = { written: string; shorter: string[] };

/** Most words of a text are in many texts. */
const known = new Remembered<Forms>(16 * 2 ** 20, ({ written, shorter }) =>
  shorter.reduce((sum, form) => sum + textBytes(form), textBytes(written)),
);

function formsIn(rules: FormRules, word: string): Forms {
  const key = `${rules.language}:${word}`;
  const earlier = known.get(key);
  if (earlier !== undefined) return earlier;
  const forms = applyRules(rules, word);
  known.add(key, forms);
  return forms;
}

function applyRules({ rules, spelling }: FormRules, word: string): Forms {
  const written = Array.from(word, (letter) => spelling.get(letter) ?? letter).join('');
  const forms = rules.map(({ ending, replacement }) => written.replace(ending, replacement));
  return { written, shorter: [...new Set(forms)].filter((form) => form.length >= MIN_FORM_LENGTH && form !== written) };
}
