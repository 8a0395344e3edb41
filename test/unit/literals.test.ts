import { describe, expect, it } from '@jest/globals';
import { foldText } from '@ugc/text/words/fold-text';
import {
  containsAsWritten,
  extractLiterals,
  hasSign,
  isCode,
  literalsIn,
  parseLiteral,
  plainTerms,
  separateChunks,
  splitChunks,
} from '@ugc/text/words/literals';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import fc from 'fast-check';
import { runs } from '../support/jest/long.ts';

describe('parseLiteral', () => {
  it.each([
    'c++', 'c#', 'f#', '.net', 'notepad++', '18+', 'c+', 'visual-c++',
  ])('recognizes %s as strict, because it would be another word without its symbols', (text) => {
    expect(parseLiteral(text)).toEqual({ text, strict: true });
  }); // prettier-ignore

  it.each([
    'node.js', 'asp.net', 'r2-d2', '3/4', '24/7', 'a@b.example', '1.2.3', 'v2.0.1', 'at&t', 'tcp/ip', 'c++11', 'covid-19', '1,000', '16:9', 'p!nk', '2026-01-31',
  ])('recognizes %s, whose terms mean the same', (text) => {
    expect(parseLiteral(text)).toEqual({ text, strict: false });
  }); // prettier-ignore

  it.each([
    ['(c++),', 'c++'], ['c++!', 'c++'], ["c++'s", 'c++'], ["c's#'s", 'c#'], ['c#?', 'c#'], ['node.js.', 'node.js'], ['«.net»', '.net'], ['a@b.example;', 'a@b.example'], ["c#'", 'c#'], ["c#'s'", 'c#'], ['.a.', '.a'], ["c'++", 'c++'], ["o'neill.com", "o'neill.com"], ["vol.'90", "vol.'90"], ['a.कि', 'a.कि'], ['१.क!', '१.क'],
  ])('removes the punctuation of the sentence from %s', (chunk, text) => {
    expect(parseLiteral(chunk)?.text).toBe(text);
  }); // prettier-ignore

  it.each([
    'word', '1984', 'pixel-art', "dog's", "rock'n'roll", 'snake_case', 'word.', '...and', '#tag', '@user', '-word', '.5', '.5mm', '50%', 'nice+', '100+', 'c+++', 'c##', 'c++#', 'c#+', 'c+#', 'a@', 'a/', '3.', '++', '.', '', "'", 'naïve', 'हिन्दी', '👍',
  ])('takes %j as plain text', (chunk) => {
    expect(parseLiteral(chunk)).toBeUndefined();
  }); // prettier-ignore

  it('takes words of more than 64 characters as plain text', () => {
    expect(parseLiteral(`${'a'.repeat(61)}.bc`)).toBeDefined();
    expect(parseLiteral(`${'a'.repeat(62)}.bc`)).toBeUndefined();
  });
});

describe('extractLiterals', () => {
  it.each([
    ['c++, c# and (node.js)', ['c++', 'c#', 'node.js']],
    ['c++ c++', ['c++']],
    ['c,c++,java', ['c++']],
    ['c++入門とc#', ['c++', 'c#']],
    ['c++를 배우자', ['c++']],
    ['🎉c++🎉', ['c++']],
    ['c/c++', ['c/c++', 'c++']],
    ['.net-entwickler', ['.net-entwickler', '.net']],
    ['https://node.js.example/a', ['https://node.js.example/a', 'node.js.example']],
    ['“3/4”…', ['3/4']],
    ['plain words only', []],
    ['Plain words. With a comma, too!', []],
    ['only node.js', ['node.js']],
    ['c++17, c#8 and .net8', ['c++17', 'c++', 'c#8', 'c#', '.net8', '.net']],
    ['978-3-16-148410-0', ['978-3-16-148410-0', '9783161484100']],
    ['2026-11-27 and 080442957-x', ['2026-11-27', '20261127', '080442957-x', '080442957x']],
    ['1.5, 1000.00 and 555-12', ['1.5', '1000.00', '555-12']],
    ['10:30:00', ['10:30:00']],
    ['00:1b:44:11:3a:b7', ['00:1b:44:11:3a:b7', '001b44113ab7']],
    ['a1:bcdef.gh 1.5-12345', ['a1:bcdef.gh', 'bcdef.gh', '1.5-12345', '1.5']],
    ['12/345/678', ['12/345/678', '12345678']],
    ['12-34:567', ['12-34:567']],
    ['123-456 12-345 ab-12-cd', ['123-456', '123456', '12-345', 'ab-12-cd', 'ab12cd']],
    ['1234567890-1234567890', ['1234567890-1234567890', '12345678901234567890']],
    ['1234567890-12345678901', ['1234567890-12345678901']],
    ['a1:bcdef mp3', ['a1:bcdef', 'a1bcdef']],
    ['/c#/ a&f# x:c++', ['c#', 'a&f#', 'f#', 'x:c++', 'c++']],
    ['00-1B-44-11-3A-B7', ['00-1b-44-11-3a-b7', '001b44113ab7']],
  ])('finds in %j: %j', (text, literals) => {
    expect(extractLiterals(foldText(text))).toEqual(literals);
  });

  it('finds at most 500 literals', () => {
    expect(extractLiterals(Array.from({ length: 1_000 }, (_, n) => `${n}/${n}`).join(' '))).toHaveLength(500);
  });

  it('finds the same literals in any text, also after a text that has none', () => {
    const words = fc.array(fc.constantFrom('c', '+', '.', '/', '-', "'", '_', '1', 'é', ' ', '\n', ',', ':', '!', '東', '\u0301'));
    fc.assert(
      fc.property(words, (parts) => {
        const text = foldText(parts.join(''));
        expect(extractLiterals(`${text} c#`)).toEqual([...extractLiterals(text), 'c#']);
      }),
      { numRuns: runs(200, 2_000) },
    );
  });

  it('finds each of its literals in that literal, so that every literal finds itself', () => {
    const words = fc.array(
      fc.constantFrom('c', '+', '#', '.', '/', '-', "'", '1', 'é', 'ß', ' ', ',', '東', '@', '(', '👍', '\u0301', 's'),
    );
    fc.assert(
      fc.property(words, (parts) => {
        const literals = extractLiterals(foldText(parts.join(''))).filter((text) => !isCode(text));
        for (const literal of literals) expect(extractLiterals(foldText(literal))).toContain(literal);
      }),
      { numRuns: runs(200, 2_000) },
    );
  });

  it.each([...' \n()«»😀"<>;|…—東ひカ한ไລខက'])('%j is between two of them', (separator) => {
    expect(splitChunks(`c#${separator}c++`)).toEqual(['c#', 'c++']);
  });

  it.each([...'/:&-+.#@%!?=_', "'"])('%j is a part of one', (sign) => expect(splitChunks(`a${sign}b`)).toHaveLength(1));

  it('a comma is a part of a number only', () => {
    expect(['a,b', 'a,1', '1,a', '1,000'].map((text) => splitChunks(text).length)).toEqual([2, 2, 2, 1]);
  });

  it('finds each at its place, with its possessive', () => {
    expect(literalsIn("c's#/c++17:a")).toEqual([
      { text: "c's#/c++17:a", start: 0, end: 12 },
      { text: 'c#', start: 0, end: 4 },
      { text: 'c++17', start: 5, end: 10 },
      { text: 'c++', start: 5, end: 8 },
    ]);
    expect(literalsIn('x/@c#!')).toEqual([
      { text: 'x/@c#', start: 0, end: 5 },
      { text: 'c#', start: 3, end: 5 },
    ]);
    expect(literalsIn('978-3-16-148410-0')).toMatchObject([{ end: 17 }, { text: '9783161484100', start: 0, end: 17 }]);
  });

  it('splits chunks at blanks, brackets, quotation marks, and letters of scripts without blanks', () => {
    expect(splitChunks('c++入門 "node.js", (a/b)[1]')).toEqual(['c++', 'node.js', 'a/b', '1']);
  });
});

describe('separateChunks', () => {
  it.each([
    ['tips, (c++) tricks', 'tips c++ tricks'],
    ['c# 東京 c#', 'c# 東京 c#'],
    ['東京、c#。', '東京 c#'],
    ['c#東、京c#', 'c# 東 京 c#'],
    ['น้ำc#', 'น้ำ c#'],
    ['1,5 km · node.js', '1,5 km node.js'],
    [' ', ''],
  ])('makes of %j %j: letters stay, also those of scripts without blanks', (text, separated) => {
    expect(separateChunks(text)).toBe(separated);
  });
});

it('a code has a digit and 6 to 20 letters and digits', () => {
  const codes = ['abcde1', `1${'a'.repeat(19)}`];
  const others = ['abcdef', 'abcd1', `1${'a'.repeat(20)}`, 'é12345', 'abc-12'];
  expect([...codes, ...others].filter(isCode)).toEqual(codes);
});

it('a sign is what no plain word has', () => {
  expect(['c++', 'a-b', "don't_x y", 'naïve', 'हिन्दी', '1 2'].filter(hasSign)).toEqual(['c++', 'a-b']);
});

it.each([
  ['node.js', 'node js'],
  ['r2-d2', 'r2 d2'],
  ['c++/java', 'c java'],
  ["rock'n'roll!", 'rock n roll'],
  ["dog's_a", "dog's a"],
  ['हिन्दी.a', 'हिन्दी a'],
])('the terms of %s are those without its symbols: %s', (word, terms) => expect(plainTerms(word, NEWEST_RULES.separate)).toBe(terms));

it.each([
  ['use c++ today', 'c++', true],
  ['(c++)', 'c++', true],
  ['objc++ c++', 'c++', true],
  ['c++ and objc++', 'c++', true],
  ['node.jsx', 'node.js', true],
  ['objc++', 'c++', false],
  ['किc#', 'c#', false],
  ['1c#', 'c#', false],
  ['plain', 'c', false],
])('%j contains with its signs, from the beginning of a word on, %j: %s', (text, part, is) => {
  expect(containsAsWritten(text, part)).toBe(is);
});
