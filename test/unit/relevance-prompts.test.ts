import { expect, it } from '@jest/globals';
import { readDemoDocuments, readDemoPrompts } from '../relevance/demo-prompts.ts';
import { knownItems, type KnownItem } from '../relevance/known-items.ts';

const documents = await readDemoDocuments();
const items = knownItems(documents, 100);

it('every judged prompt names items of the demo collection', async () => {
  const prompts = await readDemoPrompts();
  expect(prompts.length).toBeGreaterThanOrEqual(60);
  expect(new Set(prompts.map(({ kind, prompt }) => `${kind}: ${prompt}`)).size).toBe(prompts.length);
});

it('the names of the demo items are unique, because judgments identify items by name', () => {
  expect(new Set(documents.map(({ id }) => id)).size).toBe(documents.length);
});

it('the same collection gives the same known items', () => {
  expect(items).toHaveLength(100);
  expect(knownItems(documents, 100)).toEqual(items);
});

it('a known item is asked for by one to three words of its title', () => {
  const counts = items.map(({ id, clean }) => {
    const words = clean.split(' ');
    for (const word of words) expect(id.toLowerCase()).toContain(word);
    return words.length;
  });
  expect(new Set(counts)).toEqual(new Set([1, 2, 3]));
});

it('a misspelt prompt has one wrong word with the right first letter', () => {
  for (const { clean, misspelt } of items) {
    const words = clean.split(' ');
    const wrong = misspelt.split(' ').flatMap((word, n) => (word === words[n] ? [] : [[word, words[n] ?? ''] as const]));
    expect(wrong).toHaveLength(1);
    for (const [word, right] of wrong) {
      expect(word[0]).toBe(right[0]);
      expect(Math.abs(word.length - right.length)).toBeLessThanOrEqual(1);
    }
  }
});

it('an unfinished prompt ends after half of the last word, and after three letters at least', () => {
  const lastWords = ({ clean, unfinished }: KnownItem) => [clean, unfinished].map((prompt) => prompt.split(' ').at(-1) ?? '');
  for (const item of items) {
    const [last = '', cut = ''] = lastWords(item);
    expect(last.startsWith(cut)).toBe(true);
    expect(cut).toHaveLength(Math.max(3, Math.floor(last.length / 2)));
  }
});
