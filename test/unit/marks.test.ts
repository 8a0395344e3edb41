import { describe, expect, it } from '@jest/globals';
import { foldWithOrigins } from '@ugc/text/marks/fold-with-origins';
import { highlightItem } from '@ugc/api/search/highlight/fragments';
import { MarkFinder } from '@ugc/text/marks/mark-finder';
import { PhraseMatcher } from '@ugc/text/marks/phrase-matcher';
import { LETTERS, promptLetterKeys } from '@ugc/text/forms/accents';
import { promptPartKeys } from '@ugc/text/forms/part-keys';
import { corrected, correctedBeginning, joined, otherForms, type Term } from '@ugc/text/prompt/alternatives';
import type { Join } from '@ugc/text/prompt/joins';
import { searchedText } from '@ugc/api/search/prompt/explanation';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { Remembered, textBytes } from '@ugc/text/words/remembered';
import { NEWEST_RULES as rules } from '@ugc/text/rules/text-rules';
import fc from 'fast-check';
import { anyText } from '../support/search/any-text.ts';
import { rows, runs } from '../support/jest/long.ts';
import { asWritten } from '../support/search/searching.ts';

type Repairs = { replacements?: Record<string, string>; joins?: Join[] };

function finderOf(prompt: string, { replacements = {}, joins = [] }: Repairs = {}): MarkFinder {
  const parsed = parsePrompt(prompt, rules);
  const written = asWritten(parsed);
  const corrections = Object.entries(replacements).map(([from, to]) => corrected([from], to));
  return new MarkFinder(searchedText({ ...written, alternatives: [...written.alternatives, ...corrections, ...joins.map(joined)] }));
}

/** The name with its marks, in brackets to keep the tables short. No word of the prompt is unfinished. */
function mark(prompt: string, name: string, repairs?: Repairs): string {
  const { name: [marked = name] = [] } = highlightItem({ name, description: '', tags: [] }, finderOf(`${prompt} -unrelated`, repairs));
  return marked.replaceAll('<mark>', '[').replaceAll('</mark>', ']');
}

function describeItem(prompt: string, description: string): string[] {
  return highlightItem({ name: '', description, tags: [] }, finderOf(prompt)).description ?? [];
}

/** The text of a fragment, which is HTML. */
function textOf(fragment: string): string {
  const characters: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return fragment.replace(/<\/?mark>/g, '').replace(/&\w+;|&#39;/g, (entity) => characters[entity] ?? entity);
}

it('a last word with symbols marks the words that begin with it, and not those that begin with its letters', () => {
  const text = 'Notepad for C++ and C++17, cats, network nets and .NET';
  const marked = (prompt: string): string[] => finderOf(prompt).find(text).map(({ start, end }) => text.slice(start, end)); // prettier-ignore
  expect(marked('notepad c++')).toEqual(['Notepad', 'C++', 'C++17']);
  expect(marked('.net')).toEqual(['.NET']);
});

describe('a mark is on', () => {
  it.each([
    ['a word in all its forms', 'running', 'He runs, she ran, running RUN', 'He [runs], she ran, [running] [RUN]'],
    ['a word with its possessive s', 'dog', "The dog's bowl, dogs’ tails", 'The [dog&#39;s] bowl, [dogs]’ tails'],
    ['an accented word, typed without accents', 'creme brulee', 'Crème BRU\u0302LE\u0301E!', '[Crème] [BRU\u0302LE\u0301E]!'],
    ['a word without accents, typed with accents', 'crème', 'creme', '[creme]'],
    ['a word with letters that become several', 'strasse', 'die Straße', 'die [Straße]'],
    ['a word with compatibility forms', 'fine', 'a ﬁne day, a ｆｉｎｅ day', 'a [ﬁne] day, a [ｆｉｎｅ] day'],
    ['a word with rare letters', 'bat', 'ɓat', '[ɓat]'],
    ['a word with invisible characters', 'cooperate', 'co\u00adoperate, co\ufeffoperate', '[co\u00adoperate], [co\ufeffoperate]'],
    ['a word of stop words only, literally', 'the', 'The theme of them', '[The] theme of them'],
    ['a phrase, as a whole', '"dice tower"', 'dice, a Dice  Tower, tower', 'dice, a [Dice  Tower], tower'],
    ['a phrase with stop words', '"lord of the rings"', 'Lord of the Rings; lord rings', '[Lord of the Rings]; lord rings'],
    ['overlapping phrases, once', '"a b a"', 'a b a b a', '[a b a b a]'],
    ['a literal with its symbols', 'c++', 'C++ or c, (c++)', '[C++] or c, ([c++])'],
    ['a quoted literal with its symbols', '"c++"', 'C++ or c', '[C++] or c'],
    ['a quoted phrase as a whole, also with symbols', '"c++ dog"', 'C++ and a c++ dog', 'C++ and a [c++ dog]'],
    ['a literal after a dot', '.net', 'the .NET, the net', 'the [.NET], the net'],
    ['a literal as the phrase of its terms', 'r2-d2', 'R2-D2, r2 d2, d2', '[R2-D2], [r2 d2], d2'],
    ['a fraction', '3/4', '¾ and 3/4 and 3 4', '[¾] and [3/4] and [3 4]'],
    ['a quoted phrase only with its symbols', '"c++ primer"', 'C primer, C++ primer, C-primer c++', 'C primer, [C++ primer], C-primer c++'],
    ['a quoted phrase with symbols at its ends', '".net and c++"', '.NET and C++; net and C', '[.NET and C++]; net and C'],
    ['a quoted phrase with each of its symbols', '"c++ c#"', 'C++ C C++ C# C C', 'C++ C [C++ C#] C C'],
    ['a literal that is a part of another one', 'c++', 'c/c++', 'c/[c++]'],
    ['Chinese characters that follow each other', '東京', '東京都、京東', '[東京]都、京東'],
    ['a long Japanese text in pairs of characters', '東京都の夜景', '夜景の東京', '[夜景]の[東京]'],
    ['Thai words', 'ภาษา', 'ภาษาไทย', '[ภาษา]ไทย'],
    ['Thai words next to digits', 'บาท', 'ราคา๑๒บาท', 'ราคา๑๒[บาท]'],
    ['Arabic words without their vowel points', 'محمد', 'هو مُحَمَّد هنا', 'هو [مُحَمَّد] هنا'],
    ['Hebrew abbreviations', 'צה"ל', 'של צה״ל.', 'של [צה״ל].'],
    ['Korean words, however they are composed', '한국어', '한국어'.normalize('NFD'), `[${'한국어'.normalize('NFD')}]`],
    ['emoji with another skin tone', '👍', 'ok 👍🏽👎', 'ok [👍🏽]👎'],
    ['words that touch each other, on each', '👍 👎', '👍👎', '[👍][👎]'],
    ['equal literals that a comma separates', 'c++', 'c++,c++', '[c++],[c++]'],
    ['a word of several terms', 'x'.repeat(300), `${'x'.repeat(300)} x`, `[${'x'.repeat(300)}] x`],
    ['emoji that are joined', '👩‍💻', '👩🏽‍💻 👩', '[👩🏽‍💻] 👩'],
  ])('%s', (_what, prompt, name, marked) => expect(mark(prompt, name)).toBe(marked));

  it.each([
    ['a part of a word with capitals inside', 'lanterns', 'OldLanternFactory and a lantern', 'Old[Lantern]Factory and a [lantern]'],
    ['Hangul beside Latin letters', '전자', 'LG전자 리모컨', 'LG[전자] 리모컨'],
    ['the end of a compound', 'kanne', 'Gießkanne, Neukanne', 'Gieß[kanne], Neukanne'],
  ])('%s', (_, prompt, name, marked) => {
    const parts = otherForms([rules.fold(prompt)], promptPartKeys(rules.fold(prompt)));
    const written = asWritten(parsePrompt(`${prompt} -unrelated`, rules));
    const finder = new MarkFinder(searchedText({ ...written, alternatives: [...written.alternatives, parts] }));
    const { name: [found = ''] = [] } = highlightItem({ name, description: '', tags: [] }, finder);
    expect(found.replaceAll('<mark>', '[').replaceAll('</mark>', ']')).toBe(marked);
  });

  it('the end of a compound by the key of its form alone', () => {
    const written = asWritten(parsePrompt('tow -unrelated', rules));
    const finder = new MarkFinder(searchedText({ ...written, alternatives: [...written.alternatives, otherForms(['tow'], ['de:tow'])] }));
    expect(highlightItem({ name: 'A dicetower', description: '', tags: [] }, finder)).toEqual({ name: ['A dice<mark>tower</mark>'] });
  });

  it('the correction of a word, and not on the word', () => {
    expect(mark('lighthuose', 'lighthuose lighthouses', { replacements: { lighthuose: 'lighthouse' } })).toBe('[lighthuose] [lighthouses]');
    expect(mark('dicetower', 'dice tower, dice', { replacements: { dicetower: 'dice tower' } })).toBe('[dice tower], dice');
  });

  it('words that the prompt writes as two', () => {
    const joins: Join[] = [{ from: ['light', 'house'], to: 'lighthouse', isBeginning: false }];
    expect(mark('light house', 'lighthouses, houses', { joins })).toBe('[lighthouses], [houses]');
  });

  it('words that begin with the unfinished word, of two letters or more', () => {
    expect(highlightItem({ name: 'Harbours, hare', description: 'h', tags: [] }, finderOf('misty harb'))).toEqual({
      name: ['<mark>Harbours</mark>, hare'],
    });
    for (const prompt of ['misty h', 'misty bour'])
      expect(highlightItem({ name: 'Harbours', description: '', tags: [] }, finderOf(prompt))).toEqual({});
    const begun = { ...asWritten(parsePrompt('dicetow', rules)), alternatives: [correctedBeginning(['dicetow'], 'dice tow')] };
    expect(highlightItem({ name: 'A dice tower', description: '', tags: [] }, new MarkFinder(searchedText(begun)))).toEqual({
      name: ['A <mark>dice tower</mark>'],
    });
    // A phrase or another word after it finishes a word.
    expect(mark('harb mist', 'harbours mist')).toBe('harbours [mist]');
  });
});

describe('no mark is on', () => {
  it.each([
    ['a word that is excluded', 'misty -harbour', 'Misty harbour', '[Misty] harbour'],
    ['a phrase that is excluded', 'misty -"old harbour"', 'misty old harbour', '[misty] old harbour'],
    ['a word of which only the beginning is the same', 'harb', 'harbour', 'harbour'],
    ['words of a phrase that stand alone', '"dice tower"', 'tower of dice', 'tower of dice'],
    ['stop words', 'the harbour', 'the harbour', 'the [harbour]'],
    ['a word of a strict literal', 'c#', 'c', 'c'],
  ])('%s', (_what, prompt, name, marked) => expect(mark(prompt, name)).toBe(marked));
});

describe('highlights', () => {
  it('contain only the fields in which something matches', () => {
    const item = { name: 'harbour', description: 'mist', tags: ['boat', 'Old Harbour'] };
    expect(highlightItem(item, finderOf('harbour'))).toEqual({ name: ['<mark>harbour</mark>'], tags: ['Old <mark>Harbour</mark>'] });
    expect(highlightItem(item, finderOf('dragon'))).toEqual({});
    expect(highlightItem(item, new MarkFinder(searchedText(undefined)))).toEqual({});
  });

  it('are HTML, in which the text is escaped', () => {
    expect(mark('script', `<script>alert("1" & '2')</script>`)).toBe(
      '&lt;[script]&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/[script]&gt;',
    );
    expect(mark('amp', '&amp;')).toBe('&amp;[amp];');
    expect(mark('"a b"', 'a <b> c')).toBe('[a &lt;b]&gt; c');
  });
});

describe('the fragments of a description', () => {
  const words = (count: number): string => Array.from({ length: count }, (_, n) => `word${n}`).join(' ');

  it('are the complete description if it is short', () => {
    expect(describeItem('harbour', ' A harbour. ')).toEqual([' A <mark>harbour</mark>. ']);
  });

  it('are at most three, in the order of the text, of complete words', () => {
    const text = `${words(60)} first ${words(60)} second ${words(60)} third ${words(60)} fourth`;
    const fragments = describeItem('fourth third second first', text);
    expect(fragments.map((fragment) => /<mark>(.*)<\/mark>/.exec(fragment)?.[1])).toEqual(['first', 'second', 'third']);
    for (const fragment of fragments.map(textOf)) {
      expect(` ${text} `).toContain(` ${fragment} `);
      expect(fragment.length).toBeGreaterThan(120);
      expect(fragment.length).toBeLessThanOrEqual(150);
    }
  });

  it('have several marks if they are close to each other, and do not overlap', () => {
    const fragments = describeItem('harbour', `${words(40)} harbour a harbour b harbour ${words(14)} harbour ${words(40)}`);
    expect(fragments.map((fragment) => fragment.split('<mark>').length - 1)).toEqual([3, 1]);
  });

  it('show no part of the text twice', () => {
    const [before, after] = ['before', 'after'].map((word) => words(40).replaceAll('word', word));
    const shown = describeItem('first second', `${before} first ${words(18)} second ${after}`).map(textOf);
    const shownWords = shown.flatMap((fragment) => fragment.split(' '));
    expect(shown).toHaveLength(2);
    expect(new Set(shownWords).size).toBe(shownWords.length);
  });

  it('use their complete length at the end of the description', () => {
    const [fragment = ''] = describeItem('harbour', `${words(60)} harbour`);
    expect(fragment).toMatch(/<mark>harbour<\/mark>$/);
    expect(textOf(fragment).length).toBeGreaterThan(140);
  });

  it('split neither a surrogate pair nor a grapheme, where no blank is near', () => {
    for (const grapheme of ['👩‍👩‍👧‍👦', '🇩🇪', 'e\u0301\u0302', '한'.normalize('NFD'), '𠮷']) {
      for (let shift = 0; shift < 12; shift += runs(4, 1)) {
        const text = `${'x'.repeat(shift)}${grapheme.repeat(60)}東京${grapheme.repeat(60)}`;
        const [fragment = ''] = describeItem('東京', text).map(textOf);
        const graphemes = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
        expect(graphemes).toEqual(expect.arrayContaining(Array.from(new Intl.Segmenter().segment(fragment), ({ segment }) => segment)));
        expect(text).toContain(fragment);
      }
    }
  });
});

describe('foldWithOrigins', () => {
  const foldable = anyText(
    ...['a', 'Σ', 'I', ' ', '\u0301', '\u0345', '\u0e4d', '\u0e32', '\u0e01', '\u200d', '👍', '\ufe0f', '2', '½', '\ufdfa', '\ud83d'],
    ...['\u1100', '\u1161', '\u11a8', '가', '\u3131', '\uffa1', 'ｶ', '\uff9e', 'ß', '™', '´', '\u3000', '🏽', '🇩', 'ᴄ', 'ꜳ', '🅰', 'ー'],
  );

  // U+FEFF is a blank of `\s`, but an invisible character inside of a word.
  const wordsOf = (text: string): string[] => text.match(/[\S\ufeff]+/g) ?? [];

  it('folds the words of a text as the text is folded', () => {
    const folded = (text: string): string[] => wordsOf(text).flatMap((word) => wordsOf(foldWithOrigins(word, rules).text));
    fc.assert(
      fc.property(foldable, (text) => expect(folded(text)).toEqual(wordsOf(rules.fold(text)))),
      { numRuns: runs(100, 2_000) },
    );
  });

  it('knows the origin of each part: folded alone, it contains that part', () => {
    fc.assert(
      fc.property(foldable, (chunk) => {
        const text = wordsOf(chunk).join('');
        const { text: folded, origin } = foldWithOrigins(text, rules);
        for (let start = 0; start < folded.length; start += 1) {
          if (folded[start] === ' ') continue;
          const from = origin({ start, end: start + 1 });
          expect(rules.fold(text.slice(from.start, from.end))).toContain(folded[start]);
        }
      }),
      { numRuns: runs(100, 2_000) },
    );
  });

  it.each(['Crème brûlée', 'الرَّحْمَـٰنِ', 'xe\u0301ㅋㅋ\u0301x', 'น้ำใจ', '한국어 ㅋㅋ', '👩🏽‍💻🇩🇪', 'ﷲ ﬁ', 'ｶﾞｷﾞ', 'Lego™ 2½'])(
    'splits %j into its smallest parts',
    (text) => {
      for (const form of [text, text.normalize('NFD')]) {
        const { text: folded, origin } = foldWithOrigins(form, rules);
        const longest = Math.max(
          ...Array.from(folded, (_, start) => origin({ start, end: start + 1 })).map(({ start, end }) => end - start),
        );
        expect(longest).toBeLessThan(Math.min(form.length, 10));
      }
    },
  );
});

describe('PhraseMatcher', () => {
  it('finds the longest phrase that ends with each term', () => {
    const term = fc.constantFrom('a', 'b', 'c');
    const phrases = fc.array(fc.array(term, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
    fc.assert(
      fc.property(phrases, fc.array(term, { maxLength: 30 }), (sought, terms) => {
        const endsAt = (position: number): number[] =>
          sought
            .filter((phrase) => phrase.join() === terms.slice(Math.max(position + 1 - phrase.length, 0), position + 1).join())
            .map(({ length }) => length);
        expect(new PhraseMatcher(sought).match(terms)).toEqual(terms.map((_, position) => Math.max(0, ...endsAt(position))));
      }),
      { numRuns: runs(200, 1_000) },
    );
  });
});

describe('a letter that is also typed as others', () => {
  /** @returns the text with what the words mark that are typed for its letters, in brackets */
  function markTyped(typed: string, name: string): string {
    const prompt = parsePrompt(typed, rules);
    const written = asWritten(prompt);
    const forms = prompt.words.map(({ text }) => otherForms([text], promptLetterKeys(text)));
    const finder = new MarkFinder(searchedText({ ...written, alternatives: [...written.alternatives, ...forms] }));
    const { name: [marked = name] = [] } = highlightItem({ name, description: '', tags: [] }, finder);
    return marked.replaceAll('<mark>', '[').replaceAll('</mark>', ']');
  }

  it.each(LETTERS)('is marked where it is written: $letter', ({ letter, typed }) => {
    const word = `k${letter}l`;
    for (const one of typed)
      for (const form of [word, word.toUpperCase(), word.normalize('NFD')])
        expect(markTyped(`k${one}l`, `Plain kal kol kel, "${form}"-x`)).toBe(
          `Plain kal kol ${one === 'e' ? '[kel]' : 'kel'}, &quot;[${form}]&quot;-x`,
        );
  });

  it('is looked for in up to 128 units of which the letters are not told apart', () => {
    const text = (length: number): string => `${'\ufe77'.repeat(40)}.München${'.x'.repeat(60)}`.slice(0, length);
    expect(markTyped('muenchen', text(128))).toBe(`[${text(128)}]`);
    expect(markTyped('muenchen', text(129))).toBe(text(129));
  });

  it.each([
    ['juudou', 'The Judo Jūdō school', 'The Judo [Jūdō] school'],
    ['toukyou', 'TŌKYŌ-Tower', '[TŌKYŌ]-Tower'],
    ['seher', 'Səhər və gecə', '[Səhər] və gecə'],
    ['gence', 'Gəncə', '[Gəncə]'],
    ['muenchen', 'Munchen, München', 'Munchen, [München]'],
    ['blue', 'blu and blü', 'blu and [blü]'],
  ])('%s marks in %s: %s', (typed, name, marked) => expect(markTyped(typed, name)).toBe(marked));
});

it('what is remembered of texts takes a bounded number of bytes, however long the results are', () => {
  const remembered = new Remembered<string[]>(100_000, (words) => words.reduce((sum, word) => sum + textBytes(word), 0));
  const words = Array.from({ length: 100 }, (_, n) => `word ${n}`);
  for (let n = 0; n < 200; n += 1) {
    remembered.add(`text ${n}`, words);
    expect(remembered.bytes).toBeLessThanOrEqual(100_000);
  }
  expect(remembered.get('text 0')).toBeUndefined();
  remembered.add('text', words);
  expect(remembered.get('text')).toBe(words);
});

it('what is remembered of a text counts with the text, and is forgotten when there would be more than the limit', () => {
  const remembered = new Remembered<number>(300, (bytes) => bytes);
  remembered.add('three', 16);
  expect(remembered.bytes).toBe(100 + 24 + 2 * 5 + 16);
  remembered.add('seven', 16);
  expect([remembered.bytes, remembered.get('three'), remembered.get('seven')]).toEqual([300, 16, 16]);
  remembered.add('', 0);
  expect([remembered.bytes, remembered.get('three'), remembered.get('')]).toEqual([0, undefined, undefined]);
});

describe('hostile text is processed in time in proportion to its length', () => {
  // Quadratic work on texts of this length would take minutes, and the test would time out.
  const LENGTH = 400_000;
  const TEXTS: [string, string][] = [
    ['marks', `a${'\u0301'.repeat(LENGTH)}`],
    ['marks of which foldText keeps 30', `क${'\u0951'.repeat(LENGTH)}`],
    ['blanks', `a${' '.repeat(LENGTH)}b`],
    ['one word', 'a'.repeat(LENGTH)],
    ['one word with an accent', `é${'a'.repeat(LENGTH)}`],
    ['repeated words of a phrase', 'a '.repeat(LENGTH / 2)],
    ['apostrophes', "a'".repeat(LENGTH / 2)],
    ['symbols', 'é-+#'.repeat(LENGTH / 4)],
    ['jamo', 'ㅋ'.repeat(LENGTH)],
    ['joiners', `👍${'\u200d'.repeat(LENGTH)}`],
    ['regional indicators', '🇩🇪'.repeat(LENGTH / 4)],
    ['Chinese', '東京'.repeat(LENGTH / 2)],
    ['Thai', 'ภาษาไทย'.repeat(LENGTH / 8)],
  ];

  /** Of which the letters are not told apart: marks are limited beside jamo, and over a tatweel that is left out. */
  const UNCLEAR = '\ufe77'.repeat(40);
  const WITH_PARTS: [string, string][] = [
    ['marks after a capital', `xAb${'\u0301'.repeat(LENGTH)}`],
    ['marks between capitals', `A${'\u0301'.repeat(LENGTH / 2)}A${'\u0301'.repeat(LENGTH / 2)}`],
    ['marks of Hangul', '\u302e'.repeat(LENGTH)],
    ['marks of katakana', `ア${'\u3099'.repeat(LENGTH)}`],
    ['letters with keys after marks beside jamo', `a\u0301${'\u1161\u0301'.repeat(31)}${'.ä'.repeat(LENGTH / 2)}`],
    ['letters with keys, and marks of which too many are left', `${UNCLEAR}${'.ä'.repeat(LENGTH / 2)}`],
    ['phrases with symbols, and marks of which too many are left', `${UNCLEAR}${'.c++/primer'.repeat(LENGTH / 11)}`],
  ];

  it.each([...rows(5, TEXTS), ...rows(5, WITH_PARTS)])('%s', (_what, text) => {
    const searched = searchedText(asWritten(parsePrompt(`"${'a '.repeat(300)}b" "東京" "c++ primer" c++ a`, rules)));
    const keys = [...promptPartKeys('kanne'), 'de:kanne'].map((key): Term => ({ by: 'key', text: key }));
    const finder = new MarkFinder({ ...searched, terms: [...searched.terms, ...keys] });
    expect(highlightItem({ name: text, description: text, tags: [text] }, finder)).toBeDefined();
  });
});
