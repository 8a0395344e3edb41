import { describe, expect, it } from '@jest/globals';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { parseSynonyms } from '@ugc/text/prompt/parse-synonyms';
import { Synonyms, textOf } from '@ugc/text/prompt/synonyms';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';

const parse = (text: string) => parseSynonyms(Buffer.from(text));
const prompted = (prompt: string) => parsePrompt(prompt, NEWEST_RULES);

describe('a file of synonyms', () => {
  it.each([
    ['', []],
    ['\ufeff# comment\r\n\r\n  # another one\n', []],
    ['gba, game boy advance', [{ from: ['gba', 'game boy advance'], to: ['gba', 'game boy advance'], replaces: false }]],
    ['sofa=>couch', [{ from: ['sofa'], to: ['couch'], replaces: true }]],
    ['sofa , divan => couch, day bed', [{ from: ['sofa', 'divan'], to: ['couch', 'day bed'], replaces: true }]],
    [
      String.raw`1\,000, a\=>b, x=y, c\\d`,
      [{ from: ['1,000', 'a=>b', 'x=y', 'c\\d'], to: ['1,000', 'a=>b', 'x=y', 'c\\d'], replaces: false }],
    ],
  ])('has a rule a line, and comments: %j', (text, rules) => expect(parse(text)).toEqual({ rules, problems: [] }));

  it.each([
    ['gba', 'line 1 has one word or phrase only'],
    ['# x\n\na, b\nc,, d', 'line 4 lacks a word or phrase'],
    ['a, b,', 'line 1 lacks a word or phrase'],
    ['=> b', 'line 1 lacks a word or phrase'],
    ['a =>', 'line 1 lacks a word or phrase'],
    ['a => b => c', 'line 1 has more than one =>'],
    ['a, …', 'line 1 has "…", in which nothing can be searched for'],
    ['a, b c d e f g h i j', 'line 1 has a phrase of 9 words; the maximum is 8'],
    [`a, ${'b'.repeat(101)}`, 'line 1 has a phrase of 101 characters; the maximum is 100'],
    [Array.from({ length: 33 }, (_, n) => `w${n}`).join(), 'line 1 has too many words and phrases; the maximum is 32 on each side'],
    ['a, b\n'.repeat(10_001), 'the file has 10001 rules; the maximum is 10000'],
    ['x'.repeat(2 ** 20 + 1), 'the file has 1048577 bytes; the maximum is 1048576'],
  ])('with a bad line is refused with the line and the reason: %.40j', (text, problem) => {
    expect(parse(text).problems).toEqual([expect.stringContaining(problem)]);
  });

  it('may have lines that end in any way, a # inside of a line, and a backslash at its end', () => {
    const rules = [['a', 'b'], ['c#', 'd'], ['e', 'f\\']].map((texts) => ({ from: texts, to: texts, replaces: false })); // prettier-ignore
    expect(parse('a, b\rc#, d\r\ne, f\\\n')).toEqual({ rules, problems: [] });
    expect(parse('a, b\r\nc\rd').problems).toEqual([2, 3].map((line) => expect.stringContaining(`line ${line} has one word`)));
  });

  it('may be as large as its limits', () => {
    expect(parse(`#${'x'.repeat(2 ** 20 - 1)}`).problems).toEqual([]);
    expect(parse('a, b\n'.repeat(10_000)).rules).toHaveLength(10_000);
    expect(parse(`a, ${'b'.repeat(100)}\na, b c d e f g h i`).problems).toEqual([]);
    expect(parse('a\n'.repeat(10)).problems).toHaveLength(10);
  });

  it('is refused if it is not UTF-8, and with at most ten of its bad lines', () => {
    expect(parseSynonyms(Buffer.from([0xe9, 0x2c, 0x61])).problems).toEqual(['the file is not UTF-8']);
    expect(parse('a\n'.repeat(50)).problems).toEqual([...Array.from({ length: 10 }, () => expect.any(String)), '40 more']);
  });
});

describe('the synonyms in a prompt', () => {
  const RULES =
    'gba, game boy advance\ngame, spiel\nsofa => couch\nC++, cpp\nlord of the rings, lotr\nCafé, coffee house\nabout, concerning\nnew york new york, nyny';
  const synonyms = new Synonyms(parse(RULES).rules);
  const inPrompt = (prompt: string): string[] => synonyms.in(prompted(prompt)).map(({ from, to }) => `${from.join(' ')}: ${textOf(to)}`);

  it.each([
    ['gba cable', ['gba: game boy advance']],
    ['red GAME Boy advance', ['game boy advance: gba']],
    ['game boy', ['game: spiel']],
    ['cafe', ['cafe: coffee house']],
    ['coffee house', ['coffee house: cafe']],
    ['cpp', ['cpp: c++']],
    ['c++', ['c++: cpp']],
    ['the lord of the rings', ['lord rings: lotr']],
    ['"gba" -sofa', []],
    ['gbas', []],
    ['which recipes are there about tea', []],
    ['new york new york', ['new york: nyny']],
  ])('are those of its longest words and phrases, outside of quotation marks: %s', (prompt, expected) =>
    expect(inPrompt(prompt)).toEqual(expected),
  );

  it('are beside a word that a rule with => repeats, and in its place otherwise', () => {
    const kept = new Synonyms(parse('sofa => sofa, couch\nlamp => light').rules).in(prompted('sofa lamp'));
    expect(kept.map(({ to, replaces }) => `${textOf(to)} ${replaces}`)).toEqual(['couch false', 'light true']);
  });

  it('are those in which something can be searched for by the rules of the index', () => {
    const rules = [{ from: ['sofa', '…'], to: ['sofa', '…', 'couch'], replaces: false }];
    expect(new Synonyms(rules).in(prompted('… sofa')).map(({ to }) => textOf(to))).toEqual(['couch']);
  });

  it('are limited, so that the query stays within its limit of clauses', () => {
    const words = Array.from({ length: 31 }, (_, n) => `a${n}`).join(', ');
    const synonyms = new Synonyms(parse(`${words}\n${words.replaceAll('a', 'b')}`).rules);
    expect(synonyms.in(prompted('a0 b0'))).toHaveLength(50);
    const phrases = Array.from({ length: 32 }, (_, n) => `word${n} of seven`).join();
    const all = new Synonyms(parse(phrases).rules).in(prompted('word0 of seven'));
    expect(all.map(({ from, to }) => from.length * to.length)).toEqual(Array.from({ length: 8 }, () => 6));
  });

  it('change nothing of the query of a prompt without them, nor does an empty file', () => {
    for (const prompt of ['lighthouse at dusk', '"gba" -sofa', 'c# 東京']) {
      const parsed = prompted(prompt);
      expect([synonyms.in(parsed), new Synonyms([]).in(parsed)]).toEqual([[], []]);
    }
  });
});
