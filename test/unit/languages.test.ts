import { describe, expect, it } from '@jest/globals';
import { itemFormKeys, promptFormKeys, toFormRules } from '@ugc/text/forms/word-forms';
import { LANGUAGES, listed, readLanguages } from '@ugc/text/languages/languages';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { EXAMPLE_LANGUAGES } from '../relevance/word-pairs.ts';

const FOLDER = join(CHECKOUT, 'packages/text/languages');

it('a language is one file: of a made-up one, each form of a word finds the other', () => {
  const folder = mkdtempSync(join(tmpdir(), 'languages-'));
  cpSync(FOLDER, folder, { recursive: true });
  const pairs = 'mira miraz, tolo toloz, sen senzi, kepa kepaz, luno lunzo';
  writeFileSync(
    join(folder, 'xx.json'),
    JSON.stringify({
      name: 'Made-up',
      scripts: ['Latin'],
      forms: { leadTo: 'dictionary form', endings: ['z> zi>', 'nzo>no'] },
      examples: [{ of: 'Made-up', ends: ['of the garden'], pairs: [pairs] }],
    }),
  );
  const all = readLanguages(pathToFileURL(`${folder}/`)).flatMap(toFormRules);
  const finds = (word: string, other: string, rules = all): boolean => {
    const keys = new Set(itemFormKeys(other, ['xx'], rules));
    return promptFormKeys(word, rules).some((key) => keys.has(key));
  };
  const words = pairs.split(', ').map((pair) => pair.split(' ') as [string, string]);
  expect(words.filter(([one, other]) => !finds(one, other) || !finds(other, one))).toEqual([]);
  const known = LANGUAGES.flatMap(toFormRules);
  expect(words.filter(([one, other]) => finds(one, other, known))).toEqual([]);
});

describe('the file of a language', () => {
  it.each(LANGUAGES.map((language) => [language.name, language] as const))('has columns that are known: %s', (_, language) => {
    const known =
      'code name stopWords detectedAs scripts forms compounds articles stopWordLists functionWords accents contentWords irregularForms irregularVerbs'
        .concat(
          ' otherSpellings otherStems doubledBeforeEnding unlikeForms numbers elisions prefixes caseEndings particles equalLetters layout fromLatin toLatin softSign',
        )
        .concat(' examples different')
        .split(' ');
    expect(Object.keys(language).filter((column) => !known.includes(column))).toEqual([]);
    expect(listed(language.forms?.endings).filter((rule) => !/^[^>]+>[^>]*$/u.test(rule))).toEqual([]);
    if (language.forms) expect(language).toMatchObject({ scripts: expect.anything(), examples: expect.anything() });
  });
});

it.each([
  ['ar', 'وقت الوقت سنه يوم عام عدد'],
  ['bg', 'време живот година ден добър май'],
  ['cs', 'den nové tři dva'],
  ['da', 'lille stor god ny mand dag tre slik'],
  ['de', 'uhr mann tag zeit jahr menschen ende weg neue gut drei macht'],
  ['es', 'té dé bajo'],
  ['fi', 'vuonna osa kaksi kolme'],
  ['fr', 'été thé sûr dû'],
  ['he', 'דרך יום'],
  ['hi', 'घर दो'],
  ['hu', 'nagy új év három jó'],
  ['id', 'bulan rasa tempat tahun besar kecil waktu kata'],
  ['it', 'tè'],
  ['pl', 'lat roku sposób dwa'],
  ['ro', 'fată timp zi bună doi'],
  ['ru', 'время год человек'],
  ['sh', 'dan leto dobro stran tri'],
  ['sv', 'bra stor dag saga val tack två'],
  ['tr', 'su üç iyi iki bin'],
])('a noun, an adjective or a number is no word that carries grammar: %s', (code, content) => {
  const language = LANGUAGES.find((one) => one.code === code);
  const small = new Set(listed(language?.functionWords));
  expect(content.split(' ').filter((word) => small.has(word))).toEqual([]);
});

it('the small words of a language have only the letters with accents that it writes', () => {
  const others = LANGUAGES.flatMap(
    ({ functionWords, accents, code }) =>
    accents === undefined ? [] : listed(functionWords).filter((word) => [...word.normalize('NFC')].some((letter) => letter > '\x7f' && !accents.includes(letter))).map((word) => `${code} ${word}`), // prettier-ignore
  );
  expect(others).toEqual([]);
});

it('the documents name each language whose forms are known, and say how many they are', () => {
  const read = (file: string): string => readFileSync(join(CHECKOUT, file), 'utf8').replace(/\s+/g, ' ');
  const section = /### Forms of words(.*?) ### /.exec(read('docs/api.md'))?.[1] ?? '';
  const names = LANGUAGES.flatMap(({ name, forms }) => (forms ? name.split(/, | and /) : []));
  const named = names.filter((name) => section.includes(name));
  expect(EXAMPLE_LANGUAGES.filter((name) => !named.includes(name))).toEqual([]);
  const said = [read('docs/api.md'), read('README.md')].map((text) => /\[(\d+)(?: more)? languages\]\(/.exec(text)?.[1]);
  expect(said).toEqual([String(named.length), String(named.length)]);
});

describe('a process loads only what it needs of the package text:', () => {
  /** @returns the packages for text that a program has loaded */
  const loadedBy = (module: string): string[] => {
    const program = `
      import { registerHooks } from 'node:module';
      const loaded = new Set();
      registerHooks({ resolve: (name, context, next) => { loaded.add(name.split('/')[0]); return next(name, context); } });
      await import(${JSON.stringify(module)});
      console.log(JSON.stringify([...loaded]));
      process.exit(0);`;
    const options = { cwd: join(CHECKOUT, 'test'), encoding: 'utf8' } as const;
    const output = execFileSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
      options,
    );
    const names = JSON.parse(output) as string[];
    return ['eld', 'opencc-js', 'stemmer', 'stopword'].filter((name) => names.includes(name));
  };

  it.each([
    ['the API', '@ugc/api/start-api', ['opencc-js', 'stemmer', 'stopword']],
    ['what marks texts', '@ugc/text/marks/mark-finder', ['stemmer']],
    ['the indexer', '@ugc/indexer/start-indexer', ['stemmer']],
  ])('%s', (_, module, packages) => {
    expect(loadedBy(module)).toEqual(packages);
  });
});
