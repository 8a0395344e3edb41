/** The unit tests that know a file, and the names of those that take long and know nothing more. */
export type Covered = { tests: string[]; except?: RegExp };

const ways: Covered = { tests: ['unit/ways'] };

/** The tests whose names begin with one of these texts, of a file in which others take long. */
function only(...names: string[]): Pick<Covered, 'except'> {
  return { except: new RegExp(`^(?!${names.join('|')})`) };
}

/** The tests of all pairs of forms of all languages. */
const ALL_FORMS = /^(?:each form of a word|a word does not find another word)/;

/** The folders of which each file has a row below. */
export const FOLDERS = ['ways', 'prompt', 'words', 'forms'].map((folder) => `packages/text/src/${folder}`);

/** The files whose mutants are made by machine: pure functions that unit tests know. */
export const GENERATED: Record<string, Covered> = {
  'packages/text/src/ways/affixes.ts': ways,
  'packages/text/src/ways/beginnings.ts': { tests: ['unit/stages'] },
  'packages/text/src/ways/edits.ts': ways,
  'packages/text/src/ways/english-forms.ts': { tests: ['unit/ways', 'unit/alternatives'] },
  'packages/text/src/ways/japanese-and-chinese.ts': { tests: ['unit/ways', 'unit/kana-and-kanji'] },
  'packages/text/src/ways/kanji-variants.ts': ways,
  'packages/text/src/ways/other-scripts.ts': { tests: ['unit/parse-prompt'], ...only('a word that was typed') },
  'packages/text/src/ways/parts.ts': { tests: ['unit/ways', 'unit/stages'] },
  'packages/text/src/ways/ways.ts': { tests: ['unit/ways', 'unit/alternatives'] },
  'packages/text/src/prompt/alternatives.ts': { tests: ['unit/alternatives'] },
  'packages/text/src/prompt/inflections.ts': { tests: ['unit/ways'], ...only('the inflections') },
  'packages/text/src/prompt/joins.ts': { tests: ['unit/alternatives'] },
  'packages/text/src/prompt/named-item.ts': { tests: ['unit/parse-prompt'] },
  'packages/text/src/prompt/parse-prompt.ts': { tests: ['unit/parse-prompt'] },
  'packages/text/src/prompt/exclusions.ts': { tests: ['unit/parse-prompt', 'unit/meaning'] },
  'packages/text/src/prompt/quotations.ts': { tests: ['unit/parse-prompt', 'unit/meaning'] },
  'packages/text/src/prompt/parse-synonyms.ts': { tests: ['unit/synonyms'] },
  'packages/text/src/prompt/replace-words.ts': { tests: ['unit/parse-prompt'] },
  'packages/text/src/prompt/small-words.ts': { tests: ['unit/parse-prompt'] },
  'packages/text/src/prompt/split-words.ts': { tests: ['unit/parse-prompt'] },
  'packages/text/src/prompt/synonyms.ts': { tests: ['unit/synonyms'] },
  'packages/text/src/words/fold-text.ts': { tests: ['unit/folding'], ...only('foldText', 'the letters') },
  'packages/text/src/words/hangul.ts': { tests: ['unit/terms'], ...only('Hangul') },
  'packages/text/src/words/is-blank.ts': { tests: ['unit/search-text'], ...only('a text is blank') },
  'packages/text/src/words/literals.ts': { tests: ['unit/literals'] },
  'packages/text/src/words/normalized.ts': { tests: ['unit/folding', 'unit/search-text'], ...only('foldText', 'no normalization') },
  'packages/text/src/words/remembered.ts': { tests: ['unit/folding', 'unit/marks'], ...only('what is remembered') },
  'packages/text/src/words/separate.ts': { tests: ['unit/terms', 'unit/parse-prompt'] },
  'packages/text/src/words/terms.ts': { tests: ['unit/terms'] },
  'packages/text/src/words/tokens.ts': { tests: ['unit/terms', 'unit/parse-prompt'] },
  'packages/text/src/words/word.ts': { tests: ['unit/parse-prompt'] },
  'packages/text/src/words/stop-words.ts': { tests: ['unit/stop-words'] },
  'packages/text/src/forms/accents.ts': { tests: ['unit/forms'], except: ALL_FORMS },
  'packages/text/src/forms/compounds.ts': { tests: ['unit/forms'], except: ALL_FORMS },
  'packages/text/src/forms/form-keys.ts': { tests: ['unit/forms'] },
  'packages/text/src/forms/language-detector.ts': { tests: ['unit/forms'] },
  'packages/text/src/forms/part-keys.ts': { tests: ['unit/forms'], except: ALL_FORMS },
  'packages/text/src/forms/spelling-keys.ts': { tests: ['unit/forms'], ...only('a misspelt word is compared') },
  'packages/text/src/forms/word-forms.ts': { tests: ['unit/forms'] },
  'packages/text/src/forms/word-parts.ts': { tests: ['unit/terms'], ...only('the parts of') },
  'services/api/src/limits/open-files.ts': { tests: ['unit/limits'], ...only('the connections') },
  'services/api/src/limits/request-slots.ts': {
    tests: ['unit/limits'],
    ...only('the request slots', 'the limits of one process (?!give)'),
  },
  'services/api/src/limits/shares.ts': { tests: ['unit/limits'], ...only('a share', 'holdings that wait') },
  'services/api/src/limits/traffic.ts': { tests: ['unit/limits'], ...only('the limits of one process (?!give|are busy)') },
  'services/api/src/limits/turns.ts': { tests: ['unit/limits'], ...only('a share', 'holdings that wait') },
  'services/api/src/limits/unread-responses.ts': { tests: ['unit/limits'], ...only('unread responses') },
};
