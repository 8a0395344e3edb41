import { beforeAll, describe, expect, it } from '@jest/globals';
import { directionOf, LANGUAGES, type Language } from '@ugc/web/messages/languages';
import { fill, type Forms } from '@ugc/web/messages/fill';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import ts from 'typescript';
import { firstSources } from '@ugc/web/build/build-pages';

const SOURCE = new URL('../../packages/web/src/', import.meta.url).pathname;
const CODES = Object.keys(LANGUAGES) as Language[];
type Texts = Record<string, string | Forms>;
type Both = { first: Texts; later: Texts };

const read = async (path: string): Promise<Texts> => ((await import(`${SOURCE}messages/${path}.ts`)) as { messages: Texts }).messages;
const readBoth = async (code: string): Promise<Both> => ({ first: await read(code), later: await read(`later/${code}`) });

const formsOf = (text: string | Forms): string[] => (typeof text === 'string' ? [text] : Object.values(text));
const namesIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();

const sources = globSync('{page,shared,sign-in}/**/*.{ts,tsx}', { cwd: SOURCE }).filter((path) => !path.endsWith('.d.ts'));
const parsed = sources.map((path) => ({
  path,
  tree: ts.createSourceFile(path, readFileSync(SOURCE + path, 'utf8'), ts.ScriptTarget.Latest, true),
}));

function* nodesIn(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesIn(child);
}

describe('the texts of the page', () => {
  const texts = {} as Record<Language, Both>;
  beforeAll(async () => {
    for (const code of CODES) texts[code] = await readBoth(code);
  });

  it('are in one file of first and one of later texts for each language', () => {
    for (const folder of ['messages', 'messages/later']) {
      const files = globSync(`${folder}/??.ts`, { cwd: SOURCE }).map((path) => basename(path, '.ts'));
      expect(files.toSorted()).toEqual(CODES.toSorted());
    }
  });

  describe.each(CODES)('in the language %s', (code) => {
    const plurals = new Intl.PluralRules(code);
    const pairs = (part: keyof Both): [string, string | Forms, string | Forms][] =>
      Object.entries(texts.en[part]).map(([key, english]) => [key, english, texts[code][part][key] ?? '']);

    it('are those that English has, and none is empty', () => {
      for (const part of ['first', 'later'] as const) {
        expect(Object.keys(texts[code][part])).toEqual(Object.keys(texts.en[part]));
        for (const [key, , own] of pairs(part)) expect([key, formsOf(own).filter((text) => text.trim() === '')]).toEqual([key, []]);
      }
    });

    it('have the plural forms of the language where English has one, and no others', () => {
      const { pluralCategories } = plurals.resolvedOptions();
      for (const [key, english, own] of [...pairs('first'), ...pairs('later')]) {
        const forms = typeof own === 'string' ? 'none' : Object.keys(own).toSorted();
        expect([key, forms]).toEqual([key, typeof english === 'string' ? 'none' : pluralCategories.toSorted()]);
      }
    });

    // A form that stands for one number may say it in words.
    const NAMED: Record<string, number> = { zero: 0, one: 1, two: 2 };
    const isOneNumber = (form: string): boolean =>
      NAMED[form] !== undefined && Array.from({ length: 2_000 }, (_, n) => n).every((n) => n === NAMED[form] || plurals.select(n) !== form);

    it('have the placeholders of English', () => {
      for (const [key, english, own] of [...pairs('first'), ...pairs('later')]) {
        const expected = namesIn(formsOf(english)[0] ?? '');
        for (const [form, text] of Object.entries(typeof own === 'string' ? { '': own } : own)) {
          const names = namesIn(text);
          const mayOmit = isOneNumber(form) && !names.includes('n');
          expect([key, form, names]).toEqual([key, form, mayOmit ? expected.filter((name) => name !== 'n') : expected]);
        }
      }
    });

    it('differ from English, but for words that are the same', () => {
      const same = [...pairs('first'), ...pairs('later')].filter(([, english, own]) => formsOf(own).join() === formsOf(english).join());
      expect(same.length).toBeLessThan(code === 'en' ? Infinity : 20);
    });

    it('say an estimated number in words, with the noun that the number has', () => {
      const { items = '', about = '' } = texts[code].first;
      for (const n of [0, 1, 2, 5, 48, 120, 1_000_000]) {
        const what = fill(code, items, { n }).join('');
        const said = fill(code, about, { what }).join('');
        expect(said).toContain(what);
        expect(said.replace(what, '')).toMatch(/\p{L}/u);
      }
    });

    it('say a number as people of the language do', () => {
      const n = 12_345;
      expect(fill(code, texts[code].first['items'] ?? '', { n }).join('')).toContain(new Intl.NumberFormat(code).format(n));
    });
  });

  it('are all said by the page or by the document', () => {
    const said = parsed.flatMap(({ tree }) => [...nodesIn(tree)].filter(ts.isStringLiteralLike).map(({ text }) => text));
    const document = readFileSync(`${SOURCE}../build/pages.ts`, 'utf8');
    const unsaid = [...Object.keys(texts.en.first), ...Object.keys(texts.en.later)].filter(
      (key) => !said.includes(key) && !document.includes(`'${key}'`),
    );
    expect(unsaid).toEqual([]);
  });

  it('that the script says before its later parts are loaded are in the first files', async () => {
    const first = await firstSources('page');
    const calls = parsed
      .filter(({ path }) => first.includes(path))
      .flatMap(({ path, tree }) => [...nodesIn(tree)].filter(ts.isCallExpression).map((call) => ({ path, call })))
      .filter(({ call }) => ['t', 'parts'].includes(call.expression.getText()));
    const keys = calls.flatMap(({ path, call: { arguments: [key] } }) =>
      key ? [...nodesIn(key)].filter(ts.isStringLiteralLike).map(({ text }) => ({ path, text })) : [],
    ); // prettier-ignore
    expect(keys.length).toBeGreaterThan(50);
    expect(keys.filter(({ text }) => Object.hasOwn(texts.en.later, text))).toEqual([]);
  });
});

describe('no file of the page has an English text of its own', () => {
  /** What people see or hear: `alt`, `label` and so on are attributes of elements or of components. */
  const SHOWN = /^(aria-label|aria-description|alt|label|hint|legend|placeholder|title|submitLabel|name)$/;
  const isText = (text: string): boolean => /\p{L}{2}/u.test(text);
  /** Attributes with the names of form fields and of icons. */
  const isCode = (attribute: ts.JsxAttribute): boolean => attribute.name.getText() === 'name';
  /** Two words, or one that begins a sentence: no class, no key, no address. */
  const SENTENCE = /^[“”"„]?\p{Lu}\p{Ll}+([ .:!?…]|$)|\p{L}{2,} \p{L}{2,}.*[.!?…]$/u;

  /** Names of commands and programs, and of values of the platform. */
  const ALLOWED = [
    'AbortError',
    'Bearer',
    'Docker Compose',
    'Authorization',
    'Enter',
    'Escape',
    'Files',
    'eyJ',
    'RequestFailed',
    'TimeoutError',
  ];
  const isAllowed = (text: string): boolean => ALLOWED.some((each) => text.trim().startsWith(each));

  it.each(parsed.map(({ path, tree }) => [path, tree] as const))('%s', (path, tree) => {
    const found = [...nodesIn(tree)].flatMap((node) => {
      if (ts.isJsxText(node)) return isText(node.text) && !isCommand(node) ? [node.text.trim()] : [];
      if (ts.isJsxAttribute(node) && SHOWN.test(node.name.getText()) && !isCode(node)) {
        const value = node.initializer;
        return value && ts.isStringLiteral(value) && isText(value.text) ? [value.text] : [];
      }
      if (ts.isStringLiteralLike(node) && !ts.isImportDeclaration(node.parent) && SENTENCE.test(node.text)) return [node.text];
      if (ts.isTemplateHead(node) && SENTENCE.test(node.text)) return [node.text];
      return [];
    });
    expect(found.filter((text) => !isAllowed(text) && !FOR_OPERATORS.includes(path))).toEqual([]);
  });

  /** The commands that get a token. */
  function isCommand(node: ts.Node): boolean {
    return ts.isJsxElement(node.parent) && node.parent.openingElement.tagName.getText() === 'code';
  }

  /** Its reasons name settings of the operator. */
  const FOR_OPERATORS = ['sign-in/problems.ts'];
});

it('the styles of the page have no left and no right, so that they fit both directions', () => {
  const styles = globSync('{page,shared}/**/*.css', { cwd: SOURCE });
  const physical = styles.flatMap((path) =>
    readFileSync(SOURCE + path, 'utf8')
      .split('\n')
      .filter((line) => /\b(left|right)\b/.test(line) && !/\/\*|\*\//.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(styles.length).toBeGreaterThan(10);
  expect(physical).toEqual([]);
  expect(CODES.filter((code) => directionOf(code) === 'rtl')).toEqual(['ar']);
});
