import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Highlights } from '@ugc/items/changes/content-item';
import { stemOf, termsOf } from '@ugc/text/words/terms';
import type { ContentPage } from '@ugc/api/search/page';
import { UNLIKE_FORMS } from '@ugc/text/ways/english-forms';
import type { Explanation } from '@ugc/api/search/prompt/explanation';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { itemFormKeys, promptFormKeys } from '@ugc/text/forms/word-forms';
import { LANGUAGES } from '@ugc/text/languages/languages';
import { foldText } from '@ugc/text/words/fold-text';
import fc from 'fast-check';
import { readdir, readFile } from 'node:fs/promises';
import { storeContent, type StoredFields } from '../support/database/stored-content.ts';
import { runs } from '../support/jest/long.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { createEnvironment } from '../support/processes/environment.ts';
import {
  besideLetters,
  CHARACTER_RANGES,
  characterKind,
  charactersOf,
  nameOfRange,
  readLuceneTerms,
  runLengths,
  textsOfAllScripts,
  writeLuceneTerms,
  type LuceneTerms,
} from '../support/search/lucene-terms.ts';
import { openStores, startService, type Stores } from '../support/processes/service.ts';

describe('highlight', () => {
  const LONG = 'ein längerer Satz ohne das gesuchte Wort. '.repeat(40);

  const service = forAllTests(() => startService());
  beforeAll(async () => {
    await storeContent(service.database, [
      { name: 'Lighthouses at dusk', description: 'A misty harbour & <b>boats</b>', tags: ['pixel art', 'Old Harbour'] },
      { name: 'Folding a dice tower', description: 'plywood, dice and a tower', creatorId: 2 },
      { name: 'Crème BRÛLÉE', description: `${LONG}Die Straße. ${LONG}`, tags: ['dessert'] },
      { name: '東京の夜', description: '京都と東京', tags: ['日本'] },
    ]);
    await service.indexed();
  });

  async function highlightsOf(prompt: string, parameters: Record<string, string | number> = {}): Promise<Record<string, Highlights>> {
    const { body } = await service.client.list({ prompt, highlight: 'true', sort: 'relevance', size: 100, ...parameters });
    return Object.fromEntries(body.content.map(({ name, highlights }) => [name, highlights ?? {}]));
  }

  describe('highlight=true marks what the prompt matches', () => {
    it.each<[string, string, string, Highlights]>([
      ['other forms of a word', 'lighthouse -x', 'Lighthouses at dusk', { name: ['<mark>Lighthouses</mark> at dusk'] }],
      ['corrected words', 'harbuor', 'Lighthouses at dusk', {
        description: ['A misty <mark>harbour</mark> &amp; &lt;b&gt;boats&lt;/b&gt;'], tags: ['Old <mark>Harbour</mark>'],
      }],
      ['joined words', 'light houses', 'Lighthouses at dusk', { name: ['<mark>Lighthouses</mark> at dusk'] }],
      ['split words', 'dicetower', 'Folding a dice tower', { name: ['Folding a <mark>dice tower</mark>'] }],
      ['the unfinished word', 'misty boa', 'Lighthouses at dusk', {
        description: ['A <mark>misty</mark> harbour &amp; &lt;b&gt;<mark>boats</mark>&lt;/b&gt;'],
      }],
      ['Chinese', '東京', '東京の夜', { name: ['<mark>東京</mark>の夜'], description: ['京都と<mark>東京</mark>'] }],
  ])('%s: %s', async (_what, prompt, name, highlights) => {
    expect((await highlightsOf(prompt))[name]).toEqual(highlights);
  }); // prettier-ignore

    it('letters that are also typed as others, as they are written', async () => {
      const names = ['Jūdō mats', 'Tōkyō skyline', 'Səhər çayı', 'Gəncə gates', 'München lamps', 'Munchen lamps'];
      await storeContent(service.database, names.map((name) => ({ name, tags: ['letters'] }))); // prettier-ignore
      await service.indexed();
      const marked = async (prompt: string): Promise<unknown> => {
        const found = Object.entries(await highlightsOf(`${prompt} -x`, { tags: 'letters' }));
        return found.map(([name, highlights]) => highlights.name?.[0] ?? `${name}, not marked`);
      };
      expect(await marked('juudou')).toEqual(['<mark>Jūdō</mark> mats']);
      expect(await marked('toukyou')).toEqual(['<mark>Tōkyō</mark> skyline']);
      expect(await marked('seher')).toEqual(['<mark>Səhər</mark> çayı']);
      expect(await marked('gence')).toEqual(['<mark>Gəncə</mark> gates']);
      expect(await marked('muenchen')).toEqual(['<mark>München</mark> lamps']);
    });

    it('in a part of a long description', async () => {
      const { 'Crème BRÛLÉE': { description: [fragment = '', ...others] = [], ...fields } = {} } = await highlightsOf('strasse');
      expect(fragment).toMatch(/^ein .* Die <mark>Straße<\/mark>\. ein /);
      expect(fragment.length).toBeLessThan(170);
      expect({ fields, others }).toEqual({ fields: {}, others: [] });
    });

    it('and nothing in an item that only the name of its creator matches, or without a prompt', async () => {
      const [{ creatorName = '' } = {}] = (await service.client.list({ creatorId: 2 })).body.content;
      expect(await highlightsOf(creatorName)).toEqual({ 'Folding a dice tower': {} });
      for (const highlights of Object.values(await highlightsOf(' '))) expect(highlights).toEqual({});
    });
  });

  it('the page is the same, except for highlights', async () => {
    const lists: Record<string, string>[] = [{ prompt: 'harbour tower' }, { prompt: 'harbuor', explain: 'true', include: 'tags' }, {}];
    for (const parameters of lists) {
      const plain = (await service.client.list(parameters)).body;
      const { content, ...page } = (await service.client.list({ ...parameters, highlight: 'true' })).body;
      expect({ ...page, content: content.map(({ highlights: _, ...item }) => item) }).toEqual(plain);
      expect((await service.client.list({ ...parameters, highlight: 'false' })).body).toEqual(plain);
    }
  });

  it('a single item has no highlights', async () => {
    const [{ contentId = 0 } = {}] = (await service.client.list({ prompt: 'dusk' })).body.content;
    expect((await service.client.get(`/api/content/${contentId}?highlight=true`)).body).not.toHaveProperty('highlights');
  });

  it('large pages, which another thread renders, and deep pages have highlights', async () => {
    const large = await startService();
    const items = Array.from({ length: 1_210 }, (_, n) => ({ name: `Kettle ${n}`, data: n < 10 ? 'x'.repeat(100_000) : '' }));
    await storeContent(large.database, items);
    await large.indexed();
    const marked = async (parameters: Record<string, string | number>): Promise<unknown[]> => {
      const { body } = await large.client.list({ prompt: 'kettles', highlight: 'true', ...parameters });
      return body.content.flatMap(({ highlights }) => highlights?.name);
    };
    const namesOf = (ns: number[]): string[] => ns.map((n) => `<mark>Kettle</mark> ${n}`);
    expect(await marked({ sort: 'contentId' })).toEqual(namesOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
    expect(await marked({ sort: 'contentId', page: 240, size: 5 })).toEqual(namesOf([1_200, 1_201, 1_202, 1_203, 1_204]));
    await large.stop();
  });
});

describe('highlight analysis', () => {
  /** Elasticsearch analyzes at most 10,000 tokens at a time. */
  const BATCH = 1_000;
  const SUFFIXES =
    'ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ism ate ous ive ize ion sion tion s sses ies es ed ing eed y e ll ly';

  const INDEX = 'highlight-analysis';
  /** The known differences are too rare to be found every time. */
  const SEED = 20_261_122;

  let stores: Stores;
  beforeAll(async () => {
    stores = openStores(await createEnvironment());
    await stores.elasticsearch.indices.create({ index: INDEX, ...INDEX_BODY });
  });
  afterAll(async () => {
    await stores.elasticsearch.indices.delete({ index: INDEX });
    await stores.close();
  });

  /** @returns the terms of each text, which contains no line feed */
  async function analyze(analyzer: 'english' | 'folded', texts: string[]): Promise<string[][]> {
    const results: string[][] = [];
    for (let first = 0; first < texts.length; first += BATCH) {
      const batch = texts.slice(first, first + BATCH);
      const { tokens = [] } = await stores.elasticsearch.indices.analyze({ index: INDEX, analyzer, text: batch.join('\n') });
      let [start, next] = [0, 0];
      for (const text of batch) {
        const terms: string[] = [];
        for (; (tokens[next]?.start_offset ?? Infinity) < start + text.length; next += 1) terms.push(tokens[next]?.token ?? '');
        results.push(terms);
        start += text.length + 1;
      }
    }
    return results;
  }

  async function expectSameTerms(texts: string[]): Promise<void> {
    const folded = texts.map((text) => NEWEST_RULES.fold(text.replace(/[\r\n\u2028\u2029]/g, ' ')));
    const expected = await analyze('folded', folded.map(NEWEST_RULES.separate));
    const different = folded.map((text, n) => ({
      text,
      terms: termsOf(text, NEWEST_RULES).map((term) => term.text),
      expected: expected[n] ?? [],
    }));
    expect(different.filter(({ terms, expected }) => terms.join('|') !== expected.join('|'))).toEqual([]);
  }

  async function englishWords(): Promise<string[]> {
    const docs = new URL('../../docs/', import.meta.url);
    const documents = (await readdir(docs)).filter((name) => name.endsWith('.md')).map((name) => new URL(name, docs));
    const files = [new URL('../../services/api/demo/collection.json', import.meta.url), ...documents];
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    return [
      ...new Set(
        texts
          .join(' ')
          .toLowerCase()
          .match(/[a-z]+/g),
      ),
    ];
  }

  describe('the stems of highlights are those of Elasticsearch', () => {
    const expectSameStems = async (words: string[]): Promise<void> => {
      const expected = await analyze('english', words);
      const different = words.map((word, n) => ({ word, stem: stemOf(word) ?? '', expected: expected[n]?.join(' ') ?? '' }));
      expect(different.filter(({ stem, expected }) => stem !== expected)).toEqual([]);
    };

    it('for the words of the demo collection and of the documentation', async () => {
      const words = await englishWords();
      expect(words.length).toBeGreaterThan(3_000);
      await expectSameStems(words);
    });

    it('for stems of all kinds with one and two suffixes', async () => {
      const suffixes = SUFFIXES.split(' ');
      const stems = 'b be bet sky happi hop hopp fil fall tr troubl relat condit ration val radic electr form good adopt communic ceas rol y yy 1 я'.split(' '); // prettier-ignore
      const words = stems.flatMap((stem) => suffixes.flatMap((one) => [`${stem}${one}`, ...suffixes.map((two) => `${stem}${one}${two}`)]));
      await expectSameStems([...new Set([...suffixes, ...words])].filter((word) => !word.includes('yy')));
    });

    it('for random words', async () => {
      const word = fc.string({ unit: fc.constantFrom(...'aeioubcdlmnrstvz'), minLength: 1, maxLength: 9 });
      const suffix = fc.constantFrom('', ...SUFFIXES.split(' '));
      const words = fc.sample(fc.tuple(word, suffix).map(([stem, end]) => `${stem}${end}`), { numRuns: runs(4_000, 20_000), seed: SEED }); // prettier-ignore
      await expectSameStems([...new Set(words)]);
    });
  });

  describe('the terms of highlights are those of Elasticsearch', () => {
    it('for texts of all scripts', async () => {
      await expectSameTerms(textsOfAllScripts(runs(2_000, 10_000), SEED));
    });

    it('for every character of common scripts between two letters', async () => {
      // Without letters that are newer than the tokenizer's Unicode 12.
      const texts = CHARACTER_RANGES.flatMap((range) => charactersOf(range).map((character) => `a${character}b`));
      await expectSameTerms(texts.filter((text) => !/\p{Cn}|\p{Cf}|[\u0c5c\u0c5d\u0cdc\u0cdd\u0d04]/u.test(text)));
    });
  });

  it('the recorded terms and stems, with which unit tests compare ours, are those of Elasticsearch', async () => {
    const record = async (texts: string[], words: string[]): Promise<LuceneTerms> => {
      const [terms, stems] = [await analyzeFolded(texts), await analyze('english', words)];
      return {
        terms: texts.map((text, n) => [text, terms[n] ?? []]),
        characters: await recordCharacters(),
        stems: Object.fromEntries(words.map((word, n) => [word, stems[n]?.join(' ') ?? ''])),
      };
    };
    if (process.env['UPDATE_DOCS'])
      writeLuceneTerms(await record(textsOfAllScripts(RECORDED_TEXTS, SEED), recordedWords(await englishWords())));
    const known = readLuceneTerms();
    const texts = known.terms.map(([folded]) => folded);
    expect(await record(texts, Object.keys(known.stems))).toEqual(known);
  });

  const analyzeFolded = (folded: string[]): Promise<string[][]> => analyze('folded', folded.map(NEWEST_RULES.separate));

  async function recordCharacters(): Promise<LuceneTerms['characters']> {
    const entries = CHARACTER_RANGES.map(async (range) => {
      const terms = await analyzeFolded(charactersOf(range).map(besideLetters));
      return [nameOfRange(range), runLengths(terms.map(characterKind))] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  /** Suffixes after one stem of each kind, and words of the demo collection. */
  function recordedWords(words: string[]): string[] {
    const suffixed = ['relat', 'happi', 'hopp', 'sky'].flatMap((stem) => SUFFIXES.split(' ').map((suffix) => stem + suffix));
    return [...new Set([...suffixed, ...SUFFIXES.split(' '), 'eeds', ...words.filter((_, n) => n % 5 === 0)])];
  }
});

const RECORDED_TEXTS = 800;

describe('highlight properties', () => {
  /** A page of all of them is small enough to be rendered without the second thread, which starts slowly on busy cores. */
  const ITEMS = 100;
  const PROMPTS = runs(30, 150);

  const WORDS = 'run running runs Runner harbour Harbours crème Creme BRÛLÉE naïve Straße strasse general generalization dice tower dicetower light house lighthouses the of dog dogs’ dog\'s C++ c .NET net R2-D2 r2 d2 3/4 ¾ 東京 京都 ภาษาไทย محمد مُحَمَّد 👍🏽 👩‍💻 <b> & e\u0301te\u0301 ﬁne'.split(' '); // prettier-ignore
  const SEPARATORS = [' ', ', ', ' – ', '. ', '\n', '  '];
  /** Only prompts have them: misspelt words, and words that no item contains. */
  const MISSPELT = ['harbuor', 'lighthuose', 'genral', 'nothing', 'runing'];

  const separator = fc.constantFrom(...SEPARATORS);
  const text = (maxLength: number) =>
    fc.array(fc.tuple(fc.constantFrom(...WORDS), separator), { maxLength }).map((pairs) => pairs.flat().join(''));
  const item: fc.Arbitrary<StoredFields> = fc.record({
  name: text(4).map((name) => `${name} item`),
  description: fc.oneof(text(8), text(60)),
  tags: fc.uniqueArray(text(2).filter((tag) => tag.trim() !== ''), { maxLength: 3 }),
}); // prettier-ignore
  const plain = fc.constantFrom(...WORDS, ...MISSPELT);
  const promptPart = fc.oneof(
    { weight: 6, arbitrary: plain },
    { weight: 1, arbitrary: fc.tuple(plain, plain).map(([first, second]) => `"${first} ${second}"`) },
    { weight: 1, arbitrary: plain.map((word) => `-${word}`) },
    { weight: 1, arbitrary: plain.map((word) => word.slice(0, 3)) },
  );
  const prompt = fc.array(promptPart, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '));

  const service = forAllTests(() => startService());
  beforeAll(async () => {
    await storeContent(service.database, fc.sample(item, ITEMS));
    await service.indexed();
  });

  async function list(parameters: Record<string, string | number>): Promise<ContentPage> {
    const { status, body, text } = await service.client.list(parameters);
    if (status !== 200) throw new Error(`the list ${JSON.stringify(parameters)} returned ${status}: ${text}`);
    return body;
  }

  /** @returns the terms of a text as Elasticsearch analyzes it */
  async function analyze(analyzer: 'english' | 'folded', original: string): Promise<string> {
    const text = NEWEST_RULES.separate(NEWEST_RULES.fold(original));
    const { tokens = [] } = await service.elasticsearch.indices.analyze({ index: service.env['CONTENT_ALIAS'] ?? '', analyzer, text });
    return tokens.map(({ token }) => token).join(' ');
  }

  function unescape(html: string): string {
    const characters: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
    return html.replace(/&\w+;|&#39;/g, (entity) => characters[entity] ?? entity);
  }

  const marksOf = (fragment: string): string[] =>
    [...fragment.matchAll(/<mark>(.*?)<\/mark>/gs)].map(([, marked = '']) => unescape(marked));

  /** Explains marks by the words of the interpretation, with the analyzers of Elasticsearch. */
  async function explainer(interpretation: Explanation): Promise<(mark: string) => Promise<boolean>> {
    const { words, joined, variants, phrases, unfinished } = interpretation;
    const forms = variants.map(({ to }) => to);
    const sought = [...words, ...joined.map(({ to }) => to), ...forms];
    const stems = new Set(await Promise.all(sought.map((word) => analyze('english', word))));
    const sequences = await Promise.all([...words, ...forms, ...phrases].map((phrase) => analyze('folded', phrase)));
    const formKeys = new Set(words.flatMap((word) => promptFormKeys(word)));
    return async (mark) => {
      const [stem, sequence] = [await analyze('english', mark), await analyze('folded', mark)];
      const isWord = stem !== '' && stems.has(stem);
      const isUnfinished = unfinished !== null && !sequence.includes(' ') && sequence.startsWith(unfinished);
      const isForm = itemFormKeys(
        foldText(mark),
        LANGUAGES.map(({ code }) => code),
      ).some((key) => formKeys.has(key));
      // Two phrases, or a phrase and a word, may overlap.
      return (
        isWord ||
        isUnfinished ||
        isForm ||
        sought.includes(foldText(mark)) ||
        sequences.some((terms) => terms !== '' && sequence.includes(terms))
      );
    };
  }

  it('every mark is explained by the interpretation, every fragment is text of the item, and every item has a mark', async () => {
    const marked = new Map<string, boolean>();
    let [items, markedItems, marks] = [0, 0, 0];
    for (const searched of fc.sample(prompt, PROMPTS)) {
      const parameters = { prompt: searched, highlight: 'true', explain: 'true', include: 'tags', size: 200 };
      const { content, interpretation } = await list(parameters);
      if (!interpretation) throw new Error('there is no interpretation');
      const isExplained = await explainer(interpretation);
      for (const { highlights = {}, ...found } of content) {
        items += 1;
        const fields = [
          ...(highlights.name ?? []).map((fragment) => [fragment, [found.name]] as const),
          ...(highlights.description ?? []).map((fragment) => [fragment, [found.description]] as const),
          ...(highlights.tags ?? []).map((fragment) => [fragment, found.tags ?? []] as const),
        ];
        for (const [fragment, originals] of fields) {
          const original = unescape(fragment.replace(/<\/?mark>/g, ''));
          expect(originals.some((text) => text.includes(original))).toBe(true);
          for (const mark of marksOf(fragment)) {
            marks += 1;
            const key = JSON.stringify([searched, mark]);
            if (!marked.has(key)) marked.set(key, await isExplained(mark));
            expect({ searched, mark, isExplained: marked.get(key) }).toEqual({ searched, mark, isExplained: true });
          }
        }
        const hasOnlyExclusions = interpretation.words.length + interpretation.phrases.length === 0;
        if (hasOnlyExclusions) continue;
        markedItems += 1;
        expect({ searched, found, marks: fields.length > 0 }).toEqual({ searched, found, marks: true });
      }
    }
    expect(items).toBeGreaterThan(PROMPTS);
    expect(marks).toBeGreaterThan(markedItems);
  });

  it('a field has marks exactly if it contains the word, as Elasticsearch analyzes both', async () => {
    const termsOf = async (text: string): Promise<string[]> => (await analyze('english', text)).split(' ');
    const { content } = await list({ include: 'tags', size: 200 });
    expect(content).toHaveLength(ITEMS);
    const items = [];
    for (const { contentId, name, description, tags = [] } of content) {
      const terms = { name: await termsOf(name), description: await termsOf(description), tags: await termsOf(tags.join('\n')) };
      items.push({ contentId, terms });
    }
    for (const word of WORDS.filter((text) => /^[\p{L}\p{M}]+$/u.test(text) && !['the', 'of'].includes(text) && !UNLIKE_FORMS.has(text))) {
      const body = await list({ prompt: `${word} -unrelated`, highlight: 'true', size: 200, match: 'all', correct: 'false' });
      const sought = await termsOf(word);
      for (const field of ['name', 'description', 'tags'] as const) {
        const highlighted = body.content.filter(({ highlights }) => highlights?.[field]).map(({ contentId }) => contentId);
        const containing = items
          .filter(({ terms }) => sought.every((term) => terms[field].includes(term)))
          .map(({ contentId }) => contentId);
        expect({ word, field, ids: highlighted.toSorted((a, b) => a - b) }).toEqual({
          word,
          field,
          ids: containing.toSorted((a, b) => a - b),
        });
      }
    }
  });
});
