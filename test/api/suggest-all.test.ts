import fc from 'fast-check';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { runs } from '../support/jest/long.ts';
import { startService } from '../support/processes/service.ts';
import { storeContent } from '../support/database/stored-content.ts';

type Item = { contentId: number; name: string; tags: string[]; downloads: number };
type Completion = { text: string; type: 'tag' | 'name' };

const WORDS = ['ka', 'Kat', 'kató', 'Élan', 'elan', 'e', 'tower', 'Towers', '東京', '京', 'C++', 'c#', '.NET', 'lighthouse', 'straße'];
const textOf = (words: number) => fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: words }).map((chosen) => chosen.join(' '));
const anyItem = fc.record({ name: textOf(3), tags: fc.uniqueArray(textOf(2), { maxLength: 3 }), downloads: fc.nat(3) });

// A plain reimplementation for texts of these words.
const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss').trim();
const termsOf = (text: string): string[] => fold(text).match(/\p{sc=Han}|[\p{L}--\p{sc=Han}]+/gv) ?? [];
const hasSymbols = (prompt: string): boolean => fold(prompt).split(/\s+/).some((word) => /^(c\+\+?|c#|\.[a-z]+)$/.test(word)); // prettier-ignore

function isCompletedBy(prompt: string, name: string): boolean {
  if (hasSymbols(prompt) && !` ${fold(name)}`.includes(` ${fold(prompt)}`)) return false;
  const [asked, terms] = [termsOf(prompt), termsOf(name)];
  const matchesAt = (start: number): boolean =>
    asked.every((term, at) => (at < asked.length - 1 ? terms[start + at] === term : (terms[start + at] ?? '').startsWith(term)));
  return asked.length > 0 && terms.some((_, start) => matchesAt(start));
}

const distinct = (texts: string[]): string[] => texts.filter((text, at) => texts.findIndex((other) => fold(other) === fold(text)) === at);

function completionsOf(items: Item[], prompt: string): Completion[] {
  if (fold(prompt) === '') return [];
  const byDownloads = items.toSorted((a, b) => b.downloads - a.downloads || b.contentId - a.contentId);
  const names = distinct(byDownloads.filter(({ name }) => isCompletedBy(prompt, name)).map(({ name }) => name));
  const keyOf = (tag: string): string => `${fold(tag)}\0${tag}`;
  const spellings = byDownloads.flatMap(({ tags }) => tags.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));
  const matching = spellings.filter((tag) => fold(tag).startsWith(fold(prompt)));
  const tags = distinct([...Map.groupBy(matching, (tag) => tag).values()].toSorted((a, b) => b.length - a.length).flat());
  const chosenTags = tags.slice(0, Math.max(4, 8 - names.length));
  const chosenNames = names.slice(0, 8 - chosenTags.length);
  return [
    ...chosenTags.map((text): Completion => ({ text, type: 'tag' })),
    ...chosenNames.map((text): Completion => ({ text, type: 'name' })),
  ];
}

describe('the completions of any prompt', () => {
  const SEED = Date.now();
  const service = forAllTests(() => startService());
  let items: Item[];
  beforeAll(async () => {
    const all = fc.sample(anyItem, { seed: SEED, numRuns: 50 });
    const ids = await storeContent(service.database, all);
    items = all.map((item, position) => ({ ...item, contentId: ids[position] ?? NaN }));
    for (const { contentId } of items.splice(40)) await service.client.send('DELETE', `/api/content/${contentId}`);
    await service.indexed();
  });

  it('are those that a comparison with every item finds', async () => {
    const anyBeginning = fc
      .tuple(textOf(3), fc.nat(12), fc.constantFrom('', ' '))
      .map(([text, length, blank]) => text.slice(0, length) + blank);
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBeginning, textOf(2)), fc.boolean(), async (text, isUpperCase) => {
        const prompt = isUpperCase ? text.toUpperCase() : text;
        const { body } = await service.client.get(`/api/content/suggest?${new URLSearchParams({ prompt })}`);
        const expected = completionsOf(items, body.correction ?? prompt);
        expect({ seed: SEED, prompt, ...body }).toEqual({ ...body, seed: SEED, prompt, completions: expected });
        if (completionsOf(items, prompt).length > 0) expect(body).not.toHaveProperty('correction');
      }),
      { numRuns: runs(100, 300) },
    );
  });
});
