import { describe, expect, it } from '@jest/globals';
import {
  corrected,
  correctedBeginning,
  correctionsOf,
  otherForms,
  isAddedSynonym,
  isBeginning,
  isCorrection,
  isReplaced,
  joined,
  meant,
  near,
  otherWay,
  typedAlternatives,
  typedBeginning,
  type Alternative,
} from '@ugc/text/prompt/alternatives';
import { joinsOf } from '@ugc/text/prompt/joins';
import { foldedWords, parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';

const parse = (prompt: string) => parsePrompt(prompt, NEWEST_RULES);

/** For example `stem: runs, literal: mp3`. */
function termsOf({ terms }: Pick<Alternative, 'terms'>): string {
  return terms.map(({ by, text }) => `${by}: ${text}`).join(', ');
}

describe('a word as it is typed is searched for', () => {
  it.each([
    ['runs', 'stem: runs'],
    ['c++', 'literal: c++'],
    ['r2-d2', 'literal: r2-d2, sequence: r2-d2'],
    ['node.js', 'literal: node.js, sequence: node js'],
    ['20261127', 'stem: 20261127, literal: 20261127'],
    ['xk7741qz', 'stem: xk7741qz, literal: xk7741qz'],
    ['東京', 'sequence: 東京'],
    ['カメラ', 'sequence: カ メ ラ'],
    ['news', 'sequence: news'],
    ['the', 'sequence: the'],
    ['salt/pepper', 'stem: salt, literal: salt/pepper | stem: pepper, literal: salt/pepper'],
    ['猫の写真', 'sequence: 猫, sequence: 猫の写真 | sequence: 写真, sequence: 猫の写真'],
  ])('%s: %s', (prompt, terms) => {
    const alternatives = typedAlternatives(parse(prompt));
    expect(alternatives.map(termsOf).join(' | ')).toBe(terms);
    expect(alternatives.map(({ kind, weight }) => ({ kind, weight }))).toEqual(alternatives.map(() => ({ kind: 'typed', weight: 1 })));
  });

  it('by its stem in a long prompt, in which the other words decide between stems that are alike', () => {
    const [word] = typedAlternatives(parse('university one two three four five six seven eight nine'));
    expect(word && termsOf(word)).toBe('stem: university');
    const [alone] = typedAlternatives(parse('university'));
    expect(alone && termsOf(alone)).toBe('sequence: university, sequence: universities');
  });
});

describe('the last word is searched for as a beginning', () => {
  const begun = (text: string | undefined, isComplete = false) => typedBeginning(text, isComplete, NEWEST_RULES);

  it.each([
    ['harb', 'beginning: harb'],
    ['node.j', 'beginning: node.j, beginning: node j'],
    ['c+', 'beginning: c+'],
    ['no', 'beginning: no'],
  ])('%s: %s', (word, terms) => expect(begun(word).map(termsOf)).toEqual([terms]));

  it('with less weight if items contain it as it is, and not if it has one letter', () => {
    expect(begun('harb').map(({ weight }) => weight)).toEqual([1]);
    expect(begun('harb', true).map(({ weight }) => weight)).toEqual([0.3]);
    for (const none of ['h', undefined]) expect(begun(none)).toEqual([]);
  });
});

describe('in the place of a word or besides it is searched for', () => {
  const writing = parse('any');
  it.each<[string, Alternative, Partial<Alternative>, string]>([
    ['its correction', corrected(['harbuor'], 'harbour'), { kind: 'spelling', weight: 1, to: 'harbour' }, 'stem: harbour'],
    ['a stop word, which has no stem', corrected(['teh'], 'the'), { kind: 'spelling' }, 'sequence: the'],
    ['its parts', corrected(['dicetower'], 'dice tower'), { kind: 'split', weight: 1 }, 'sequence: dice tower'],
    ['a corrected beginning', correctedBeginning(['harbu'], 'harbo'), { kind: 'spelling' }, 'beginning: harbo'],
    ['a word that is near', near('harber', 'harbor'), { kind: 'near', weight: 0.3, from: ['harber'] }, 'stem: harbor'],
    ['another way to write it', otherWay('two', '2'), { kind: 'way', weight: 0.9, to: '2' }, 'sequence: 2'],
    ['the other forms of two words', otherForms(['haus', 'boot'], ['de:hausboot']), { to: 'haus boot' }, 'key: de:hausboot'],
    ['its other forms', otherForms(['haus'], ['de:haus', 'de=hauser']), { kind: 'form', weight: 0.3, to: 'haus' }, 'key: de:haus, key: de=hauser'],
    ['joined words', joined({ from: ['light', 'house'], to: 'lighthouse', isBeginning: false }), { kind: 'joined', weight: 0.5 }, 'stem: lighthouse'],
    ['joined words as a beginning', joined({ from: ['light', 'hou'], to: 'lighthou', isBeginning: true }), {}, 'stem: lighthou, beginning: lighthou'],
    ['joined words as a code', joined({ from: ['xk77', '41qz'], to: 'xk7741qz', isBeginning: false }), {}, 'stem: xk7741qz, literal: xk7741qz'],
    ['joined words of several terms', joined({ from: ['20', 'x', '30'], to: '20 x30', isBeginning: false }), {}, 'sequence: 20 x30'],
    ['a compound with a small word', joined({ from: ['plug'], to: 'plugin', isBeginning: false, isCompound: true }), { kind: 'way' }, 'stem: plugin'],
    ['a synonym', meant({ from: ['sofa'], to: foldedWords('couches', NEWEST_RULES), replaces: false }, writing, false), { kind: 'synonym', weight: 0.9 }, 'stem: couches'],
    ['a synonym beside a word that items contain', meant({ from: ['sofa'], to: foldedWords('day bed', NEWEST_RULES), replaces: false }, writing, true), { weight: 0.025 }, 'sequence: day bed'],
    ['a synonym with symbols', meant({ from: ['cpp'], to: foldedWords('C++', NEWEST_RULES), replaces: false }, writing, false), {}, 'literal: c++'],
    ['a synonym of several words, of which each counts a part', meant({ from: ['game', 'boy'], to: foldedWords('hand held', NEWEST_RULES), replaces: false }, writing, false), { weight: 0.45, to: 'hand held' }, 'sequence: hand held'],
  ])('%s', (_what, alternative, expected, terms) => {
    expect(alternative).toMatchObject(expected);
    expect(termsOf(alternative)).toBe(terms);
  }); // prettier-ignore
});

it('corrections are spellings and splits; those that are beginnings are not written in the place of the word', () => {
  const alternatives = [
    corrected(['a1'], 'b'),
    corrected(['c1'], 'd e'),
    correctedBeginning(['f1'], 'g'),
    near('h1', 'i'),
    otherWay('j1', 'k'),
    corrected(['l1', 'm1'], 'n'),
  ];
  expect(alternatives.map(isCorrection)).toEqual([true, true, true, false, false, true]);
  expect(alternatives.map(isBeginning)).toEqual([false, false, true, false, false, false]);
  expect([...correctionsOf(alternatives)]).toEqual([
    ['a1', 'b'],
    ['c1', 'd e'],
    ['l1 m1', 'n'],
  ]);
  const others = [
    joined({ from: ['a', 'b'], to: 'ab', isBeginning: true }),
    otherForms(['a'], ['de:a']),
    ...typedAlternatives(parse('c++')),
  ];
  expect(others.map(isBeginning)).toEqual([false, false, false]);
});

it('a synonym is one that is added if items contain the words as they are typed', () => {
  const of = (isBeside: boolean) =>
    meant({ from: ['sofa'], to: foldedWords('couch', NEWEST_RULES), replaces: false }, parse('any'), isBeside);
  expect([of(true), of(false), { ...near('a', 'b'), weight: 0.01 }].map(isAddedSynonym)).toEqual([true, false, false]);
});

it('a word is replaced if it is not searched for as it is typed', () => {
  const alternatives = [...typedAlternatives(parse('sofa')), otherWay('divan', 'couch')];
  expect(['sofa', 'divan'].map((word) => isReplaced(word, alternatives))).toEqual([false, true]);
});

describe('words of a prompt are also searched for as one', () => {
  /** `…` is a beginning, `*` a compound with small words. */
  const joins = (prompt: string): string[] =>
    joinsOf(parse(prompt)).map(
      ({ from, to, isBeginning: begins, isCompound = false }) => `${from.join('+')}=${to}${begins ? '…' : ''}${isCompound ? '*' : ''}`,
    );

  it.each([
    ['light house lamp', 'light+house=lighthouse light+house+lamp=lighthouselamp… house+lamp=houselamp…', ''],
    ['to day', '', 'to+day=today'],
    ['a b', '', 'a+b=ab…'],
    ['rock n roll', "rock+n+roll=rock'n'roll", ''],
    ['aujourd hui', "aujourd+hui=aujourd'hui", ''],
    ['lightest houses', '', "lightest+houses=lightest'houses"],
    ['ww 2', 'ww+2=wwii ww+2=ww2', "ww+2=ww'2"],
    ['1.5 kg', '1.5+kg=1 5kg', ''],
    ['20,000 mah', '20,000+mah=20000mah 20,000+mah=20 000mah', ''],
    ['24 x 36 cm', '24+x+36+cm=24x36cm… 24+x+36=24x36', ''],
    ['plug-in lamp', 'plug=plugin*', ''],
    ['well-known', 'well+known=wellknown…', 'well+known=wellknown*'],
    ['geburt anzeige', 'geburt+anzeige=geburtsanzeige', 'geburt+anzeige=geburtsanzeige…'],
    ['dorp kerk', 'dorp+kerk=dorpskerk dorp+kerk=dorpenkerk dorp+kerk=dorpnkerk dorp+kerk=dorpeskerk dorp+kerk=dorperkerk', ''],
    ['1geburt anzeige', '1geburt+anzeige=1geburtanzeige…', '1geburt+anzeige=1geburtsanzeige'],
    ['geburt1 anzeige', 'geburt1+anzeige=geburt1anzeige…', 'geburt1+anzeige=geburt1sanzeige'],
    ['3ds 2', '3ds+2=3ds2…', '3ds+2=3dsii'],
    ['ds3 2', 'ds3+2=ds32…', 'ds3+2=ds3ii'],
    ['twenty one lamp', 'twenty+one=21', 'twenty+one+lamp=21'],
    ['rote tore bau', 'rote+tore=rotestore', 'tore+bau=toresbau'],
    ['lo dash', 'dash=lodash*', 'dash=lo dash*'],
    ['jahr zeiten', 'jahr+zeiten=jahreszeiten', ''],
    ['unter tasse', 'tasse=untertasse* tasse=unterstasse*', 'unter+tasse=untertasse'],
    ['el perro de sol', '', 'perro=elperro*'],
    ['tag werk', '', 'tag+werk=tagswerk'],
    ['дети мира', '', 'дети+мира=детиsмира'],
    ["o'neill book", '', "o'neill+book=o'neillbook…"],
    ['c++ library', '', 'c+++library=c++library'],
    ['"light house"', '', 'light+house=lighthouse'],
  ])('%s: %s', (prompt, found, others) => {
    const written = joins(prompt);
    const apart = (texts: string): string[] => texts.split(/ (?=\S+=)/).filter((text) => text !== '');
    expect(written).toEqual(expect.arrayContaining(apart(found)));
    for (const other of apart(others)) expect(written).not.toContain(other);
  });

  // `~` has letters in between.
  it.each<[string, string[]]>([
    [
      '1.5 kg 1.5 kg 10 kg',
      [
        '1.5+kg+1.5+kg+10+kg=1 5kg1 5kg10kg…',
        '1.5+kg+1.5+kg+10=1 5kg1 5kg10',
        '1.5+kg+1.5+kg=1 5kg1 5kg…',
        '1.5+kg+10+kg=1 5kg10kg…',
        '1.5+kg+1.5=1 5kg1 5',
        '1.5+kg+10=1 5kg10',
        '1.5+kg=1 5kg',
        'kg+10=kg10',
        'kg+10=kgx',
        'kg+10=kgten',
        '10+kg=10kg…',
        'kg+10+kg=kg10kg…',
        '10+kg+10=10kg10',
      ],
    ],
    [
      'x 10 10 perro house',
      [
        'x+10=x10',
        '10+10=1010',
        "10+10=10'10",
        '10+perro=10perro',
        'perro+house=perrohouse…',
        'x+10+10=x1010',
        'x+10+perro=x10perro',
        '10+10+10=101010',
        '10+10+perro=1010perro',
        '10+perro+house=10perrohouse…',
        'perro+house=perroshouse~',
        'perro+house=perronhouse~',
        'perro+house=perroenhouse~',
        'perro+house=perroeshouse~',
        'perro+house=perroerhouse~',
      ],
    ],
    ['1,0000 lo', ['1,0000+lo=1 0000lo', '1,0000+lo=1 0 000lo', '1,0000+lo=1 0 000 lo', "1,0000+lo=1 0'000lo", "1,0000+lo=1 0'000 lo"]],
    ['1000,000 dash', ['1000,000+dash=1000 000dash', '1000,000+dash=1000 000 dash']],
    ['2,000,000 x', []],
    ['2,000 mah', ['2,000+mah=2 000mah', '2,000+mah=2000mah', '2,000+mah=2 000 mah']],
    ['200,000 mah', ['200,000+mah=200 000mah', '200,000+mah=200000mah', '200,000+mah=200 000 mah']],
    [
      '20,000 cm 1.5 x 1.5 abcdef',
      [
        '20,000+cm+1.5+x+1.5=20 000cm1 5x1 5',
        '20,000+cm+1.5+x+1.5=20000cm1 5x1 5',
        '20,000+cm+1.5+x=20 000cm1 5x',
        '20,000+cm+1.5+x=20000cm1 5x',
        '20,000+cm+1.5=20 000cm1 5',
        '20,000+cm+1.5=20000cm1 5',
        '1.5+x+1.5=1 5x1 5',
        '20,000+cm=20 000cm',
      ],
    ],
    ['x स्ते', ['x+स्ते=xस्ते…', "x+स्ते=x'स्ते"]],
    ['fifty one', ['fifty+one=fiftyone…', "fifty+one=fifty'one", 'fifty+one=51']],
    ['plug-in lo', ['plug=plugin*']],
    ['in-the lamp', []],
  ])('%s: these, in this order, and no other', (prompt, all) => {
    const written = joinsOf(parse(prompt)).map(
      ({ from, to, isBeginning: begins, isCompound = false, isLinked = false }) =>
        `${from.join('+')}=${to}${begins ? '…' : ''}${isCompound ? '*' : ''}${isLinked ? '~' : ''}`,
    );
    expect(written).toEqual(all);
  });

  it('at most 16 times, each once', () => {
    const written = joins('one two three four five six seven eight one two');
    expect(written.length).toBeLessThanOrEqual(16);
    expect(new Set(written).size).toBe(written.length);
    expect(joins('10 x 20 x 30 cm '.repeat(5)).length).toBeLessThanOrEqual(16);
    expect(
      joins('geburt anzeige blume strauss')
        .slice(-5)
        .every((join) => /^\w+\+\w+=\w+$/.test(join)),
    ).toBe(true);
    expect(joins('geburt anzeige blume')).toContain('geburt+anzeige+blume=geburtanzeigeblume…');
  });
});
