import { describe, expect, it } from '@jest/globals';
import { formKeysOf } from '@ugc/indexer/documents/form-keys';
import { promptUmlautKeys, promptFormKeys } from '@ugc/shared/search-text/word-forms';
import { NEWEST_RULES } from '@ugc/shared/search-text/text-rules';
import { differentWords, FORMS, pairsOf } from '../relevance/word-pairs.ts';

const { fold } = NEWEST_RULES;

function isFound(prompt: string, name: string): boolean {
  const keys = new Set(formKeysOf({ name, tags: [], description: '', creatorName: '' }, NEWEST_RULES));
  return [...promptFormKeys(fold(prompt)), ...promptUmlautKeys(fold(prompt))].some((key) => keys.has(key));
}

describe('each form of a word finds a title with the other form, in', () => {
  it.each(Object.keys(FORMS))('%s', (language) => {
    const missed = pairsOf(language).filter(([one, other]) => !isFound(one.word, other.title) || !isFound(other.word, one.title));
    expect(missed).toEqual([]);
  });
});

it('a word does not find another word that looks like a form of it', () => {
  expect(differentWords().filter(([one, other]) => isFound(one.word, other.title) || isFound(other.word, one.title))).toEqual([]);
});

it('two letters find what is written with an umlaut, in every language', () => {
  expect(isFound('muenchen', 'Nights in München')).toBe(true);
  expect(isFound('goeteborg', 'Göteborg by night')).toBe(true);
  expect(isFound('soeren', 'Letters to Søren')).toBe(true);
  expect(isFound('poet', 'The pot')).toBe(false);
});

it('Serbian is found in both of its scripts', () => {
  expect(isFound('zagrebačka', 'Загребачка банка у граду')).toBe(true);
  expect(isFound('Загребачка', 'Zagrebačka banka u gradu')).toBe(true);
});

it('English words have no form keys, since the index stems them', () => {
  expect(formKeysOf({ name: 'The apples of the old garden', tags: [], description: '', creatorName: '' }, NEWEST_RULES)).toEqual([]);
});
