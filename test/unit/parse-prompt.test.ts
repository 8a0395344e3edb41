import { describe, expect, it } from '@jest/globals';
import { parsePrompt } from '@ugc/api/search/prompt/parse-prompt';
import { textFieldsOf } from '@ugc/api/search/text-fields';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';

const parse = (prompt: string) => parsePrompt(prompt, textFieldsOf({ mappingVersion: MAPPING_VERSION }));

describe('parsePrompt', () => {
  it.each([
    ['red bicycle', { words: ['red', 'bicycle'], unfinished: 'bicycle' }],
    ['Red, RED red!', { words: ['red'], unfinished: 'red' }],
    ['"misty harbour" boats', { phrases: ['misty harbour'], words: ['boats'], unfinished: 'boats' }],
    ['boats "misty harbour"', { phrases: ['misty harbour'], words: ['boats'], unfinished: undefined }],
    ['soup -spicy -"very hot"', { words: ['soup'], excludedWords: ['spicy'], excludedPhrases: ['very hot'], unfinished: undefined }],
    ['„misty harbour“', { phrases: ['misty harbour'], words: [] }],
    ['"never closed', { words: ['never', 'closed'], unfinished: 'closed' }],
    ['well-known songs', { words: ['well', 'known', 'songs'], unfinished: 'songs' }],
    ["dog's, dogs’", { words: ["dog's", 'dogs'], unfinished: 'dogs' }],
    ['the art of the garden', { words: ['art', 'garden'], dropped: ['the', 'of'], unfinished: 'garden' }],
    ['bread and', { words: ['bread'], unfinished: undefined }],
    ['to be or not to be', { words: ['to', 'be', 'or', 'not'], isLiteral: true, dropped: [], unfinished: undefined }],
    ['*** ( ) - -- "" +', { words: [], phrases: [], excludedWords: [] }],
    ['🦊 日本語', { words: ['🦊', '日本語'], unfinished: undefined }],
    ['本カバー pdf', { words: ['本カバー', 'pdf'] }],
    ['小さな灯台の物語', { words: ['小さ', 'さな', 'な灯', '灯台', '台の', 'の物', '物語'] }],
    ['party🎉 👩‍👩‍👧', { words: ['party', '🎉', '👩‍👩‍👧'] }],
  ])('splits %j into words, phrases, exclusions and an unfinished word', (prompt, expected) => {
    const { words, ...rest } = parse(prompt);
    expect({ ...rest, words: words.map(({ text }) => text) }).toMatchObject(expected);
  });

  it('counts the occurrences of each word', () => {
    expect(parse('tea green tea').words).toEqual([
      { text: 'tea', kind: 'word', count: 2 },
      { text: 'green', kind: 'word', count: 1 },
    ]);
  });

  it.each([
    ['what is this about', ['what', 'about'], ['is', 'this']],
    ['what would you do about it', ['what', 'would', 'you', 'do', 'about', 'it'], []],
    ['which recipes are there about tea', ['recipes', 'tea'], ['which', 'are', 'there', 'about']],
  ])('drops function words from prompts of more than four words, unless nothing else is left: %s', (prompt, words, dropped) => {
    expect(parse(prompt)).toMatchObject({ words: words.map((text) => ({ text })), dropped });
  });

  it('pairs words that follow each other directly', () => {
    expect(parse('red dice tower of wood "made by hand" cheap plans -old plans').pairs).toEqual([
      ['red', 'dice'],
      ['dice', 'tower'],
      ['cheap', 'plans'],
    ]);
  });

  it.each([
    ['one two three four five six seven eight', false],
    ['one two three four five six seven eight nine', true],
    ['of the one two three four five six seven eight', false],
  ])('of more than eight searched words is descriptive: %s', (prompt, isDescriptive) => {
    expect(parse(prompt)).toMatchObject({ isDescriptive });
  });

  it.each([
    ['500 words', Array.from({ length: 500 }, (_, n) => `w${n}`).join(' ')],
    ['1,000 ideographs', Array.from({ length: 1_000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('')],
    ['200 excluded words', Array.from({ length: 200 }, (_, n) => `-ab${n}`).join(' ')],
    ['a word of 30,000 letters', 'w'.repeat(30_000)],
  ])('uses only the first 100 terms of %s', (_, prompt) => {
    const { words, excludedWords } = parse(prompt);
    expect(words.length + excludedWords.length).toBeLessThanOrEqual(100);
    expect([...words.map(({ text }) => text), ...excludedWords].join('').length).toBeLessThanOrEqual(255 * 100);
  });

  it('keeps a quotation that is cut off at the first 100 terms', () => {
    expect(
      parse(`"${'word '.repeat(300)}"`)
        .phrases[0]?.trim()
        .split(' '),
    ).toHaveLength(100);
  });
});
