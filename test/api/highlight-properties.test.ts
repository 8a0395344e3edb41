import { UNLIKE_FORMS } from '@ugc/api/search/prompt/english-forms';
import { beforeAll, expect, it } from '@jest/globals';
import type { Explanation } from '@ugc/api/search/prompt/explanation';
import type { ContentPage } from '@ugc/api/search/page';
import { foldText } from '@ugc/shared/search-text/fold-text';
import { separateTerms } from '@ugc/shared/search-text/separate-terms';
import fc from 'fast-check';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';
import { storeContent, type StoredFields } from '../support/database/stored-content.ts';

/** A page of all of them is small enough to be rendered without the second thread, which starts slowly on busy cores. */
const ITEMS = 100;
const PROMPTS = 150;

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
  const text = separateTerms(foldText(original));
  const { tokens = [] } = await service.elasticsearch.indices.analyze({ index: service.env['CONTENT_ALIAS'] ?? '', analyzer, text });
  return tokens.map(({ token }) => token).join(' ');
}

function unescape(html: string): string {
  const characters: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return html.replace(/&\w+;|&#39;/g, (entity) => characters[entity] ?? entity);
}

const marksOf = (fragment: string): string[] => [...fragment.matchAll(/<mark>(.*?)<\/mark>/gs)].map(([, marked = '']) => unescape(marked));

/** Explains marks by the words of the interpretation, with the analyzers of Elasticsearch. */
async function explainer(interpretation: Explanation): Promise<(mark: string) => Promise<boolean>> {
  const { words, joined, variants, phrases, unfinished } = interpretation;
  const forms = variants.map(({ to }) => to);
  const sought = [...words, ...joined.map(({ to }) => to), ...forms];
  const stems = new Set(await Promise.all(sought.map((word) => analyze('english', word))));
  const sequences = await Promise.all([...words, ...forms, ...phrases].map((phrase) => analyze('folded', phrase)));
  return async (mark) => {
    const [stem, sequence] = [await analyze('english', mark), await analyze('folded', mark)];
    const isWord = stem !== '' && stems.has(stem);
    const isUnfinished = unfinished !== null && !sequence.includes(' ') && sequence.startsWith(unfinished);
    // Two phrases, or a phrase and a word, may overlap.
    return isWord || isUnfinished || sought.includes(foldText(mark)) || sequences.some((terms) => terms !== '' && sequence.includes(terms));
  };
}

it('every mark is explained by the interpretation, every fragment is text of the item, and every item has a mark', async () => {
  const marked = new Map<string, boolean>();
  let [items, marks] = [0, 0];
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
      if (!hasOnlyExclusions) expect({ searched, found, marks: fields.length > 0 }).toEqual({ searched, found, marks: true });
    }
  }
  expect(items).toBeGreaterThan(PROMPTS);
  expect(marks).toBeGreaterThan(items);
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
      const containing = items.filter(({ terms }) => sought.every((term) => terms[field].includes(term))).map(({ contentId }) => contentId);
      expect({ word, field, ids: highlighted.toSorted((a, b) => a - b) }).toEqual({
        word,
        field,
        ids: containing.toSorted((a, b) => a - b),
      });
    }
  }
});
