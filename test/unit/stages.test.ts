import { describe, expect, it } from '@jest/globals';
import { begin, isAbsent, toRemember, type Known, type WordFacts } from '@ugc/api/search/prompt/known';
import { tagKeyPattern } from '@ugc/api/search/facets/facet-searches';
import { isRepairable, runsOf } from '@ugc/api/search/prompt/gaps';
import { mayBeRemembered } from '@ugc/api/search/prompt/prompt-memory';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import type { Answers } from '@ugc/api/search/prompt/questions';
import { parseSynonyms } from '@ugc/text/prompt/parse-synonyms';
import { fillGaps, fillOtherGaps, lookUpForeignForms, lookUpWords, proposeMore, type Stage } from '@ugc/api/search/prompt/stages';
import { Synonyms } from '@ugc/text/prompt/synonyms';
import type { Found } from '@ugc/api/search/response';
import { waysOf } from '@ugc/text/ways/ways';
import { nearBeginnings, withoutEndings } from '@ugc/text/ways/beginnings';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';

// The stages are functions: the answers of an index are values here. `relevance/requests` asks a real one.

type Beginning = { correct?: boolean; synonyms?: string; remembered?: Record<string, WordFacts> };

function knownOf(prompt: string, { correct = true, synonyms = '', remembered = {} }: Beginning = {}): Known {
  const rules = new Synonyms(parseSynonyms(Buffer.from(synonyms)).rules);
  return begin(parsePrompt(prompt, NEWEST_RULES), { correct, synonyms: rules }, (word) => remembered[word]);
}

/** @property there the keys of questions that an item answers, `gone` that none does @property counts by key, by what is counted */
type MadeUp = {
  there?: string[];
  gone?: string[];
  counts?: Record<string, Record<string, number>>;
  adjacent?: Record<string, Record<string, number>>;
  together?: Record<string, Record<string, number>>;
  proposals?: Record<string, Record<string, string[]>>;
  spellings?: Record<string, Record<string, string[]>>;
};

function answersOf({ there = [], gone = [], counts = {}, adjacent = {}, together = {}, ...proposed }: MadeUp): Answers {
  const { proposals = {}, spellings = {} } = proposed;
  const entriesOf = (words: Record<string, string[]> = {}) =>
    Object.entries(words).map(([text, options]) => ({ text, options: options.map((option) => ({ text: option, freq: 10 })) }));
  const buckets = (counted: Record<string, number> = {}) => ({
    buckets: Object.fromEntries(Object.entries(counted).map(([text, items]) => [text, { doc_count: items }])),
  });
  return new Map<string, Found>([
    ...there.map((key) => [key, { hits: { total: { value: 1 } } } as Found] as const),
    ...gone.map((key) => [key, { hits: { total: { value: 0 } } } as Found] as const),
    ...Object.keys(counts).map((key) => {
      const aggregations = { items: buckets(counts[key]), adjacent: buckets(adjacent[key]), together: buckets(together[key]) };
      return [key, { aggregations } as unknown as Found] as const;
    }),
    ...Object.keys({ ...proposals, ...spellings }).map((key) => {
      const suggest = { proposals: entriesOf(proposals[key]), spellings: entriesOf(spellings[key]) };
      return [key, { suggest } as unknown as Found] as const;
    }),
  ]);
}

function after(known: Known, ...steps: [Stage, MadeUp][]): Known {
  return steps.reduce((learnt, [{ learn }, answers]) => ({ ...learnt, ...learn(learnt, answersOf(answers)) }), known);
}

const keysOf = ({ ask }: Stage, known: Known): string[] => ask(known).map(({ key }) => key);
/** What is asked under a key, as JSON. */
const askedAs = ({ ask }: Stage, known: Known, key: string): string => JSON.stringify(ask(known).find((one) => one.key === key)?.search);
const gapsOf = ({ gaps }: Known): string[] => gaps.map(({ from, filled }) => `${from.join(' ')}: ${filled?.to ?? ''}`);

const OCCURS: WordFacts = { occurs: true, ways: [], forms: [], proposals: [] };

describe('what is known before the first stage', () => {
  it('is what is remembered of words; the others are looked up', () => {
    const known = knownOf('lighthouse keeper', { remembered: { lighthouse: OCCURS } });
    expect(known.toLookUp.map(({ text }) => text)).toEqual(['keeper']);
    expect(known.facts.get('lighthouse')).toBe(OCCURS);
  });

  it('is nothing of a word that is remembered from a description, whose ways and forms were not asked for', () => {
    const remembered = { lighthouse: { ...OCCURS, ways: undefined } };
    expect(knownOf('lighthouse', { remembered }).toLookUp).toHaveLength(1);
    expect(knownOf('lighthouse', { remembered, correct: false }).toLookUp).toHaveLength(0);
  });

  it('has no ways and forms for a description and without corrections, also if they are remembered', () => {
    const remembered = { lighthouse: { ...OCCURS, ways: ['light house'], forms: ['key'] } };
    const long = 'lighthouse red green blue yellow orange purple brown white black';
    for (const known of [knownOf(long, { remembered }), knownOf('lighthouse', { remembered, correct: false })])
      expect([...known.facts.values()].filter(({ ways, forms }) => ways !== undefined || forms.length > 0)).toEqual([]);
  });

  it.each(['eugene', 'or', 'tea', 'c++', 'sequelise query'])(
    'is the same with correct=false, whether something is remembered or not: %s',
    (prompt) => {
      const there = prompt.split(' ').map((word) => `word ${word}`);
      const proposals = { proposals: { sequelise: ['sequelize'] } };
      const learnt = after(knownOf(prompt), [lookUpWords, { there, proposals }]);
      const cold = after(knownOf(prompt, { correct: false }), [lookUpWords, { there }]);
      const warm = after(knownOf(prompt, { correct: false, remembered: Object.fromEntries(learnt.facts) }), [lookUpWords, {}]);
      expect(Object.fromEntries(warm.facts)).toEqual(Object.fromEntries(cold.facts));
    },
  );

  it('has at most 32 words to look up, literals and runs of a short prompt, and nothing of a prompt of stop words', () => {
    const many = Array.from({ length: 40 }, (_, n) => `word${String.fromCharCode(97 + (n % 26), 97 + n)}`).join(' ');
    expect(knownOf(many).toLookUp).toHaveLength(32);
    expect(knownOf('c++ 東京 lamp').toLookUp.map(({ text }) => text)).toEqual(['lamp', 'c++', '東京']);
    expect(knownOf('to be').toLookUp).toEqual([]);
  });

  it('has synonyms and joined words only if the prompt is corrected', () => {
    const synonyms = 'lamp, lantern';
    expect(knownOf('lamp post', { synonyms })).toMatchObject({
      synonyms: [{ from: ['lamp'] }],
      joins: expect.arrayContaining([expect.objectContaining({ to: 'lamppost' })]),
    });
    expect(knownOf('lamp post', { synonyms, correct: false })).toMatchObject({ synonyms: [], joins: [] });
  });
});

describe('the first stage', () => {
  it('asks nothing if all words are remembered', () => {
    expect(lookUpWords.ask(knownOf('lighthouse', { remembered: { lighthouse: OCCURS } }))).toEqual([]);
  });

  it('asks for each word, for the unfinished one as a beginning, for joined words, ways, forms and proposals', () => {
    const asked = ['word lamp', 'word post', 'beginning', 'joins', 'linked', 'ways', 'forms', 'proposals'];
    expect(keysOf(lookUpWords, knownOf('lamp post'))).toEqual(asked);
    expect(keysOf(lookUpWords, knownOf('lamp post', { correct: false }))).toEqual(asked.slice(0, 3));
    expect(keysOf(lookUpWords, knownOf('lamp post c++', { correct: false }))).toEqual(asked.slice(0, 2));
  });

  it('finds a code also as a literal, and the beginning of words as joined words', () => {
    expect(askedAs(lookUpWords, knownOf('xk7741qz'), 'word xk7741qz')).toContain('literals');
    expect(askedAs(lookUpWords, knownOf('lamp'), 'word lamp')).not.toContain('literals');
    expect(askedAs(lookUpWords, knownOf('lamp post'), 'joins')).toContain('prefix');
  });

  it('learns the ways in which items write a word, the most frequent first, with at most 50 terms', () => {
    const counts = { ways: { 'dice tower': 2, "l'amour": 1, "d'amour": 9 } };
    const known = after(knownOf('amour dicetower'), [lookUpWords, { there: ['word amour', 'word dicetower'], counts }]);
    expect([...known.facts].map(([word, { ways }]) => [word, ways])).toEqual([
      ['amour', ["d'amour", "l'amour"]],
      ['dicetower', ['dice tower']],
    ]);
    const long = 'abcdefghijklmnopqrstuvws';
    const possible = knownOf(long).facts.get(long)?.ways ?? [];
    const all = Object.fromEntries(possible.map((way, n) => [way, possible.length - n]));
    const { facts } = after(knownOf(long), [lookUpWords, { there: [`word ${long}`], counts: { ways: all } }]);
    const termsOf = (ways: string[]): number => ways.flatMap((way) => way.split(' ')).length;
    expect([termsOf(possible) > 60, termsOf(facts.get(long)?.ways ?? [])]).toEqual([true, 50]);
  });

  it('takes the parts of a word that no item contains as its correction, not as another way to write it', () => {
    const counts = { ways: { 'dice tower': 2 } };
    expect(after(knownOf('dicetower'), [lookUpWords, { counts }])).toMatchObject({ missing: ['dicetower'] });
    expect(after(knownOf('dicetower'), [lookUpWords, { there: ['word dicetower'], counts }])).toMatchObject({ missing: [] });
    expect(after(knownOf('r2d2'), [lookUpWords, { counts: { ways: { 'r2 d2': 2 } } }])).toMatchObject({ missing: [] });
  });

  it('takes the parts of a word for another way to write it if items have the word as a form, such as in the name of a file', () => {
    const counts = { ways: { 'dice tower': 2 }, forms: { 'dicetower part:dicetow': 1 } };
    const { facts } = after(knownOf('dicetower'), [lookUpWords, { counts }]);
    expect(facts.get('dicetower')).toMatchObject({ ways: ['dice tower'], forms: ['part:dicetow'] });
  });

  it('learns by which keys items contain another form; a literal has that of a file only', () => {
    const [key = ''] = knownOf('kerze').facts.get('kerze')?.forms ?? [];
    const known = after(knownOf('kerze'), [lookUpWords, { counts: { forms: { [`kerze ${key}`]: 3 } } }]);
    expect(known).toMatchObject({ missing: [] });
    expect(known.facts.get('kerze')?.forms).toEqual([key]);
    expect(knownOf('boeing-747').facts.get('boeing-747')?.forms).toEqual(['part:boeing-747']);
  });

  it.each([
    ['no item contains them', {}, { gone: ['word lamp', 'word post', 'beginning'] }, ['lamp', 'post']],
    ['one occurs', {}, { there: ['word lamp'] }, ['post']],
    ['the last one begins a word', {}, { there: ['beginning'] }, ['lamp']],
    ['the operator knows one', { synonyms: 'post, pole' }, {}, ['lamp']],
  ])('learns which words are missing: %s', (_, options, answers, missing) => {
    expect(after(knownOf('lamp post', options), [lookUpWords, answers]).missing).toEqual(missing);
  });

  it('says of no literal that it is missing', () => {
    expect(after(knownOf('c++'), [lookUpWords, {}]).missing).toEqual([]);
  });

  it('knows that no joined word is there if one question says so', () => {
    expect(after(knownOf('lamp post'), [lookUpWords, {}]).joins).toEqual([]);
    const there = (...keys: string[]): string[] => after(knownOf('lamp post'), [lookUpWords, { there: keys }]).joins.map(({ to }) => to);
    expect(there('joins')).toEqual(['lamppost']);
    expect(there('linked').slice(0, 2)).toEqual(['lampspost', 'lampnpost']);
  });

  it('leaves no gap in a prompt that is not corrected', () => {
    expect(after(knownOf('qqqq'), [lookUpWords, {}]).gaps).toHaveLength(1);
    expect(after(knownOf('qqqq', { correct: false }), [lookUpWords, {}])).toMatchObject({ gaps: [], missing: ['qqqq'] });
  });
});

const missing = (prompt: string, proposals: Record<string, string[]> = {}): Known =>
  after(knownOf(prompt), [lookUpWords, { there: ['word lamp'], proposals: { proposals } }]);

describe('the second stage', () => {
  it('asks nothing if no word is missing or rare, and no joined word is there', () => {
    expect(fillGaps.ask(after(knownOf('lamp'), [lookUpWords, { there: ['word lamp'] }]))).toEqual([]);
  });

  it('asks which joined words are there only if they are several', () => {
    const [one, several] = ['lamp post', 'lamp post red'].map((prompt) =>
      after(knownOf(prompt), [lookUpWords, { there: ['joins', 'word lamp', 'word post', 'word red'] }]),
    );
    expect(keysOf(fillGaps, one!)).toEqual([]);
    expect(after(one!, [fillGaps, {}]).joins.map(({ to }) => to)).toEqual(['lamppost']);
    expect(keysOf(fillGaps, several!)).toContain('join post red=postred');
    expect(after(several!, [fillGaps, { there: ['join post red=postred'] }]).joins.map(({ to }) => to)).toEqual(['postred']);
  });

  it.each([
    ['the most frequent candidate', {}, {}, 'tower'],
    ['rather one with another word of the prompt', {}, { tomer: 1 }, 'tomer'],
    ['rather one next to another word', { towel: 1 }, { tomer: 5 }, 'towel'],
  ])('fills a gap with %s', (_, adjacent, together, expected) => {
    const key = 'gap towwer';
    const counts = { [key]: { tower: 9, towel: 2, tomer: 3 } };
    const known = after(missing('lamp towwer', { towwer: ['tower', 'towel', 'tomer'] }), [
      fillGaps,
      { counts, adjacent: { [key]: adjacent }, together: { [key]: together } },
    ]);
    expect(gapsOf(known)).toEqual([`towwer: ${expected}`]);
  });

  it('asks for neighbours of whole words only, and for other words that are not missing themselves', () => {
    const known = missing('lamp towwer', { towwer: ['tower'] });
    expect(askedAs(fillGaps, known, 'gap towwer')).toContain('lamp tower');
    expect(askedAs(fillGaps, known, 'gap towwer')).not.toContain('lamp tow wer');
    const alone = missing('towwer harbr', { towwer: ['tower'] });
    expect(askedAs(fillGaps, alone, 'gap towwer')).not.toContain('together');
  });

  it('takes a candidate that no item contains for nothing', () => {
    expect(gapsOf(after(missing('towwer', { towwer: ['tower'] }), [fillGaps, {}]))).toEqual(['towwer: ']);
  });

  it('asks for the parts of a word, of its singular, and for the word in other scripts', () => {
    const known = missing('keychains');
    for (const part of ['key chains', 'key chain']) expect(known.gaps[0]?.candidates).toContain(part);
    expect(missing('pelmeni').gaps[0]?.foreign).toContain('пельмени');
    expect(missing('ghbdtn').gaps[0]?.foreign).toContain('привет');
  });

  it('fills a text with the keys of another layout as one word, in the place of all its words', () => {
    const known = missing('k.,jdm');
    expect(gapsOf(missing('a.,jdm'))).toEqual(['jdm: ', 'jdm: ']);
    expect(gapsOf(known)).toEqual(['k jdm: ', 'k: ', 'jdm: ']);
    expect(gapsOf(after(known, [fillGaps, { counts: { 'gap k.,jdm': { любовь: 1 } } }]))).toEqual(['k jdm: любовь']);
    expect(gapsOf(after(known, [fillGaps, { counts: { 'gap jdm': { 'j dm': 1 } } }]))).toEqual(['k jdm: ', 'k: ', 'jdm: j dm']);
  });

  const rare = (prompt: string, answers: MadeUp['counts'], proposals = ['harbour']): string[] => {
    const [word = ''] = prompt.split(' ');
    const looked = after(knownOf(prompt), [lookUpWords, { there: [`word ${word}`], proposals: { proposals: { [word]: proposals } } }]);
    return after(looked, [fillGaps, { counts: answers ?? {} }]).near.map(({ from, to }) => `${from.join(' ')}: ${to}`);
  };
  it('finds a spelling besides a rare word if eight times as many items contain it', () => {
    expect(rare('harbor', { 'rare harbor': { harbor: 2, harbour: 16 } })).toEqual(['harbor: harbour']);
    expect(rare('harbor', { 'rare harbor': { harbor: 2, harbour: 15 } })).toEqual([]);
    expect(rare('harbor', { 'rare harbor': { harbour: 8 } })).toEqual(['harbor: harbour']);
    expect(rare('harbor', { 'rare harbor': { harbour: 7 } })).toEqual([]);
  });

  it('asks for no spelling of a missing word, of one that the operator knows, nor in a prompt that is not corrected', () => {
    expect(keysOf(fillGaps, missing('towwer', { towwer: ['tower'] }))).toEqual(['gap towwer']);
    const remembered = { harbor: { ...OCCURS, proposals: ['harbour'] } };
    expect(keysOf(fillGaps, knownOf('harbor', { remembered }))).toEqual(['rare harbor']);
    expect(keysOf(fillGaps, knownOf('harbor', { remembered, correct: false }))).toEqual([]);
    expect(keysOf(fillGaps, knownOf('harbor', { remembered, synonyms: 'harbor, port' }))).toEqual([]);
  });

  const withLern = (prompt: string, answers: MadeUp): Known => {
    const proposals = { proposals: { lern: ['learn'] } };
    const looked = after(knownOf(prompt), [lookUpWords, { there: ['beginning', 'word quay'], proposals }]);
    return after(looked, [fillGaps, answers]);
  };
  it('finds a spelling, if fewer words are required, that occurs with another word as the rare word does not', () => {
    const counts = { 'rare lern': { lern: 9, learn: 10 } };
    const relaxed = (prompt: string, together: Record<string, number>): string[] =>
      withLern(prompt, { counts, together: { 'rare lern': together } }).nearIfRelaxed.map(({ from, to }) => `${from.join(' ')}: ${to}`);
    expect(relaxed('quay lern', { learn: 1 })).toEqual(['lern: learn']);
    expect(relaxed('quay lern', { lern: 1, learn: 9 })).toEqual([]);
    expect(relaxed('quay lern', {})).toEqual([]);
    expect(relaxed('lern', { learn: 1 })).toEqual([]);
    expect(withLern('quay lern', { counts: { 'rare lern': { lern: 1, learn: 99 } } }).near).toEqual([]);
  });

  it('asks for the spellings of a word that begins others, or that is known in another form only', () => {
    const looked = (prompt: string, answers: MadeUp) => askedAs(fillGaps, after(knownOf(prompt), [lookUpWords, answers]), `rare ${prompt}`);
    const proposals = (word: string, proposed: string) => ({ proposals: { proposals: { [word]: [proposed] } } });
    expect(looked('offical', { there: ['beginning'], ...proposals('offical', 'official') })).toContain('match_phrase_prefix');
    expect(looked('offical', { there: ['beginning'], ...proposals('offical', 'officals') })).toBeUndefined();
    expect(looked('succes', { there: ['beginning'], ...proposals('succes', 'success') })).toBeUndefined();
    const counts = { forms: { 'addding de:addding': 1 } };
    expect(looked('addding', { counts, ...proposals('addding', 'adding') })).toContain('"terms":{"forms":["de:addding"]}');
  });

  it('searches for up to two rarer words besides a correction, but not for parts, other forms and those of short words', () => {
    const near = (word: string, frequencies: Record<string, number>): string[] => {
      const known = missing(word, { [word]: Object.keys(frequencies) });
      return after(known, [fillGaps, { counts: { [`gap ${word}`]: frequencies } }]).gaps.flatMap((gap) =>
        (gap.near ?? []).map(({ to }) => to),
      );
    };
    expect(near('hamborg', { hamburg: 9, homborg: 4, hamborn: 3, 'ham borg': 8, hamburgs: 7, hamberg: 1 })).toEqual(['homborg', 'hamborn']);
    expect(near('hamx', { hams: 9, hamm: 4 })).toEqual([]);
    expect(near('hamborg', { 'ham borg': 9, homborg: 4 })).toEqual([]);
  });

  it('asks for no spelling of short words, nor for the plural, nor in a description', () => {
    expect(rare('hrbr', { 'rare hrbr': { harbour: 99 } })).toEqual([]);
    expect(rare('harbor', { 'rare harbor': { harbors: 99 } }, ['harbors'])).toEqual([]);
    expect(rare('proces', { 'rare proces': { process: 99 } }, ['process'])).toEqual(['proces: process']);
    const long = 'harbor red green blue yellow orange purple brown white black';
    expect(rare(long, { 'rare harbor': { harbor: 1, harbour: 99 } })).toEqual([]);
  });
});

describe('a wrong letter', () => {
  it('is looked for in the letters of a Korean word, and as a wrong syllable of three', () => {
    const asked = askedAs(lookUpWords, knownOf('두뷰 무지게 lamp'), 'proposals');
    expect(asked).toContain('"text":"spelling:ㄷㅜㅂㅠ spelling:ㅁㅜㅈㅣㄱㅔ"');
    expect(asked).toMatch(/"hangul":\{"text":"두뷰 무지게".*"min_word_length":3.*"proposals":\{"text":"lamp".*"min_word_length":4/);
    expect(asked).toMatch(/"field":"forms".*"prefix_length":10,"min_word_length":13/);
    const known = after(knownOf('두뷰'), [
      lookUpWords,
      { proposals: { proposals: { 두뷰: ['두유'] } }, spellings: { proposals: { 'spelling:ㄷㅜㅂㅠ': ['spelling:ㄷㅜㅂㅜ'] } } },
    ]);
    expect(known.gaps[0]?.candidates.slice(-2)).toEqual(['두부', '두유']);
  });

  it('is counted by letters: two syllables of four letters are long enough, and three of eight may have two errors', () => {
    expect(keysOf(proposeMore, missing('두뷰'))).toEqual(['short', 'first letter']);
    expect(keysOf(proposeMore, missing('두'))).toEqual([]);
    expect(keysOf(proposeMore, missing('강낭콩'))).toEqual(['long', 'first letter']);
  });

  it('is looked for in each word of a text with signs, which no item contains', () => {
    const proposals = { proposals: { proposals: { soket: ['socket', 'soketi'] } } };
    const known = knownOf('soket.io');
    expect(askedAs(lookUpWords, known, 'proposals')).toContain('"text":"soket"');
    const found = after(known, [lookUpWords, proposals]);
    expect(gapsOf(found)).toEqual(['soket.io: ']);
    expect(found.gaps[0]?.candidates).toEqual(['socket io', 'soketi io']);
    expect(gapsOf(after(found, [fillGaps, { counts: { 'gap soket.io': { 'socket io': 1 } } }]))).toEqual(['soket.io: socket io']);
    expect(gapsOf(after(found, [fillGaps, {}]))).toEqual([]);
    expect(gapsOf(after(known, [lookUpWords, { ...proposals, there: ['literal soket.io'] }]))).toEqual([]);
    expect(askedAs(lookUpWords, known, 'literal soket.io')).toContain('match_phrase_prefix');
    expect(askedAs(lookUpWords, knownOf('soket.io x'), 'literal soket.io')).not.toContain('match_phrase_prefix');
    for (const other of ['c++', 'lighthose-keeper++', 'vu.js', 'r2-d2'])
      expect(keysOf(lookUpWords, knownOf(other))).not.toContain(`literal ${other}`);
    expect(keysOf(lookUpWords, knownOf('soket.io', { correct: false }))).not.toContain('literal soket.io');
  });

  const run = (prompt: string, answers: MadeUp): string[] => gapsOf(after(knownOf(prompt), [lookUpWords, answers]));
  const rabbit = { proposals: { 'spelling:กระตาย': ['spelling:กระต่าย'] } };

  it('is looked for in the whole text of a script without blanks, which the dictionary splits in another way', () => {
    const known = knownOf('กระตาย');
    expect(known.prompt.words.map(({ text }) => text)).toEqual(['กระ', 'ตาย']);
    expect(keysOf(lookUpWords, known)).toContain('run กระตาย');
    expect(askedAs(lookUpWords, known, 'proposals')).toContain('spelling:กระตาย');
    const there = ['word กระ', 'word ตาย'];
    expect(run('กระตาย', { there, spellings: rabbit })).toEqual(['กระ ตาย: ']);
    expect(run('กระตาย', { there: [...there, 'run กระตาย'], spellings: rabbit })).toEqual([]);
    expect(run('กระตาย', { there })).toEqual([]);
    expect(knownOf('กระตาย', { correct: false }).gaps).toEqual([]);
    expect(keysOf(lookUpWords, knownOf('กระตาย', { correct: false }))).not.toContain('run กระตาย');
  });

  it('is looked for in each text of several words once, and in none of a description', () => {
    const textsOf = (prompt: string): string[] => runsOf(knownOf(prompt).prompt).map(({ text }) => text);
    expect(textsOf('กระตาย')).toEqual(['กระตาย']);
    expect(textsOf('กระตายแมว')).toEqual(['กระตายแมว', 'กระตาย', 'ตายแมว']);
    expect(textsOf('แมว')).toEqual([]);
    expect(textsOf(`กระตาย ${'one '.repeat(40)}`)).toEqual([]);
  });

  it('is looked for in parts of the text only if one of their words is missing', () => {
    const parts = ['word กระ', 'word ตาย', 'word แมว'];
    const answers = { there: parts, spellings: rabbit };
    expect(run('กระตายแมว', answers)).toEqual([]);
    expect(run('กระตายแมว', { ...answers, there: parts.slice(0, 1) })).toContain('กระ ตาย: ');
    expect(run('"กระตาย" แมว', { ...answers, there: [] })).not.toContain('กระ ตาย: ');
  });

  it('of a whole text takes the place of its words, or is nothing that is asked for further', () => {
    const known = after(knownOf('กระตาย'), [lookUpWords, { there: ['word กระ', 'word ตาย'], spellings: rabbit }]);
    expect(askedAs(fillGaps, known, 'gap กระตาย')).not.toContain('together');
    expect(gapsOf(after(known, [fillGaps, { counts: { 'gap กระตาย': { กระต่าย: 1 } } }]))).toEqual(['กระ ตาย: กระต่าย']);
    expect(gapsOf(after(known, [fillGaps, {}]))).toEqual([]);
  });

  it('of a syllable that is being typed belongs to the next one', () => {
    const known = after(missing('둡'), [fillGaps, {}], [proposeMore, {}]);
    expect(known.gaps[0]?.beginnings.flat()).toContain('두');
  });
});

describe('the third stage', () => {
  it('asks for words of at least four letters that are not filled yet', () => {
    expect(keysOf(proposeMore, missing('xyz'))).toEqual([]);
    expect(keysOf(proposeMore, missing('xyzq'))).toEqual(['short', 'first letter']);
    const filled = after(missing('towwer', { towwer: ['tower'] }), [fillGaps, { counts: { 'gap towwer': { tower: 1 } } }]);
    expect(keysOf(proposeMore, filled)).toEqual([]);
  });

  it('asks for two edits in words of at least eight letters only', () => {
    const known = missing('abcdefgx abcdefx');
    expect(askedAs(proposeMore, known, 'long')).toMatch(/"text":"abcdefgx".*"max_edits":2/);
    expect(askedAs(proposeMore, known, 'short')).toMatch(/"text":"abcdefx".*"max_edits":1/);
  });

  it('asks for two edits, and for another first letter, in at most four words, which alone have more candidates', () => {
    const known = missing('qaaaa qbbbb qcccc qdddd qeeee');
    for (const key of ['short', 'first letter']) expect(askedAs(proposeMore, known, key)).toContain('"text":"qaaaa qbbbb qcccc qdddd"');
    expect(askedAs(proposeMore, known, 'first letter')).toContain('"prefix_length":0');
    expect(after(known, [proposeMore, {}]).gaps.map(({ candidates }) => candidates.length > 0)).toEqual([true, true, true, true, false]);
  });

  it('looks for no beginning of a word that resembles others', () => {
    const proposals = { short: { lgihth: ['light'] } };
    const [withProposal, without] = [{ proposals }, {}].map((answers) => after(missing('lgihth'), [proposeMore, answers]).gaps[0]);
    expect([withProposal?.beginnings, without?.beginnings.length]).toEqual([[], 3]);
  });

  it('takes another first letter only if it is missing, or exchanged with the second one', () => {
    const proposals = {
      'first letter': { ighthouse: ['lighthouse', 'nighthouse', 'gihthouse', 'eghthouse'], iglhthouse: ['giilhthouse', 'gilhthouse'] },
    };
    const [first, second] = after(missing('ighthouse iglhthouse'), [proposeMore, { proposals }]).gaps.map(({ candidates }) => candidates);
    expect(first?.slice(0, 3)).toEqual(['lighthouse', 'nighthouse', 'gihthouse']);
    expect(first).not.toContain('eghthouse');
    expect(second?.slice(0, 1)).toEqual(['gilhthouse']);
  });

  it('gives a gap its last candidates: proposals, parts at stop words, three parts, case endings', () => {
    const [gap] = after(missing('plugin'), [proposeMore, { proposals: { short: { plugin: ['plugs'] } } }]).gaps;
    expect(gap?.candidates[0]).toBe('plugs');
    expect(gap?.candidates).toEqual(expect.arrayContaining(['plug in', "plugin'da"]));
    expect(after(missing('jackolantern'), [proposeMore, {}]).gaps[0]?.candidates).toContain('jack o lantern');
    expect(after(missing('xyz'), [proposeMore, {}]).gaps[0]).toMatchObject({ candidates: [], foreign: [] });
  });

  it('gives the unfinished word beginnings in other scripts, ways and near ones, and each word its longest common part', () => {
    const [one, last] = after(missing('рецептами lgihth'), [proposeMore, {}]).gaps;
    expect(one?.beginnings).toEqual([['рецептам'], ['рецепта'], ['рецепт']]);
    expect(last?.beginnings[2]).toContain('lighth');
    expect(after(missing('k.,jdm'), [proposeMore, {}]).gaps[0]?.beginnings).toEqual([expect.arrayContaining(['любовь'])]);
    expect(after(missing('qq7x'), [proposeMore, {}]).gaps).toMatchObject([
      { candidates: [], beginnings: [expect.arrayContaining(['qq 7x'])] },
    ]);
  });
});

describe('beginnings', () => {
  it('near an unfinished word of four to ten letters have one error less, and its first and its last letter', () => {
    const near = nearBeginnings('lgihth');
    // Two letters are exchanged, one is missing, one is too much, one is wrong.
    expect(near).toEqual(expect.arrayContaining(['lighth', 'lgiahth', 'lgith', 'lgiath', 'glihth', 'lgihht', 'lihth']));
    expect(near).not.toContain('lgihth');
    expect(new Set(near).size).toBe(near.length);
    expect(near.filter((beginning) => beginning.startsWith('l') && beginning !== 'lgihht' && !beginning.endsWith('h'))).toEqual([]);
    expect(near.filter((beginning) => !beginning.startsWith('l'))).toEqual(['glihth']);
    expect(nearBeginnings('рецпт')).toContain('рецепт');
    expect(nearBeginnings('λγος')).toContain('λογος');
    expect(nearBeginnings('u2cncert')).toContain('u2concert');
    expect(['abc', 'abcdefghijk'].map((text) => nearBeginnings(text).length)).toEqual([0, 0]);
    expect(['abcd', 'abcdefghij'].every((text) => nearBeginnings(text).length > 0)).toBe(true);
  });

  it('that words with other endings have are at most three letters shorter, and long enough to have their meaning', () => {
    expect(withoutEndings('рецептами')).toEqual(['рецептам', 'рецепта', 'рецепт']);
    expect(withoutEndings('кошки')).toEqual(['кошк']);
    expect(withoutEndings('рецепты')).toEqual(['рецепт', 'рецеп']);
    expect(withoutEndings('lighthouse')).toEqual(['lighthous', 'lighthou', 'lightho']);
    expect(withoutEndings('candles')).toEqual(['candle']);
    expect(withoutEndings('candle')).toEqual([]);
    expect(withoutEndings('кошкиx')).toEqual(['кошки', 'кошк']);
  });
});

describe('the fourth stage', () => {
  const last = (prompt: string, proposals: Record<string, string[]> = {}): Known =>
    after(missing(prompt), [fillGaps, {}], [proposeMore, { proposals: { short: proposals } }]);

  it('asks nothing if all gaps are filled', () => {
    const filled = after(
      missing('towwer', { towwer: ['tower'] }),
      [fillGaps, { counts: { 'gap towwer': { tower: 1 } } }],
      [proposeMore, {}],
    );
    expect(fillOtherGaps.ask(filled)).toEqual([]);
  });

  it('asks for candidates and beginnings at once, in another script in all forms', () => {
    const known = last('pelmeni');
    expect(keysOf(fillOtherGaps, known)).toEqual(['gap pelmeni', 'beginning pelmeni']);
    expect(askedAs(fillOtherGaps, known, 'gap pelmeni')).toContain('"forms"');
    expect(askedAs(fillGaps, missing('pelmeni'), 'gap pelmeni')).not.toContain('"forms"');
    expect(askedAs(fillOtherGaps, last('пельмени'), 'gap пельмени')).not.toContain('"forms"');
  });

  it('fills a gap with a beginning only if no item contains a candidate', () => {
    const known = last('lgihth');
    const beginnings = { 'beginning lgihth': { lighth: 3 } };
    expect(gapsOf(after(known, [fillOtherGaps, { counts: beginnings }]))).toEqual(['lgihth: lighth']);
    const counts = { ...beginnings, 'gap lgihth': { "lgihth'da": 1 } };
    expect(gapsOf(after(known, [fillOtherGaps, { counts }]))).toEqual(["lgihth: lgihth'da"]);
  });

  it('prefers the first group of beginnings that has one, and in it the most frequent', () => {
    const known = last('рецептами');
    const counts = { 'beginning рецептами': { рецепта: 1, рецепт: 9 } };
    expect(gapsOf(after(known, [fillOtherGaps, { counts }]))).toEqual(['рецептами: рецепта']);
  });

  it('fills the last four words only with beginnings, of which an unfinished name is none', () => {
    const known = last('abcdefgha abcdefghb abcdefghc abcdefghd abcdefghe qq7x');
    const counts = Object.fromEntries(known.gaps.map(({ text }) => [`beginning ${text}`, { abcdefgh: 1, 'qq 7x': 1 }]));
    expect(gapsOf(after(known, [fillOtherGaps, { counts }])).filter((gap) => gap.endsWith(': '))).toEqual(['abcdefgha: ']);
  });

  it('asks for no beginning of a word before so many that no candidate can fill', () => {
    const asked = (words: string): string[] => keysOf(fillOtherGaps, last(words)).filter((key) => key.startsWith('beginning'));
    const seven = 'abcdefgha abcdefghb abcdefghc abcdefghd abcdefghe abcdefghf abcdefghg';
    expect(asked(seven)).toHaveLength(7);
    expect(asked(`${seven} abcdefghh`)).toEqual(['e', 'f', 'g', 'h'].map((letter) => `beginning abcdefgh${letter}`));
  });
});

describe('the fifth stage', () => {
  const filledWith = (prompt: string, to: string): Known =>
    after(
      missing(prompt, { [prompt]: [to] }),
      [fillGaps, { counts: { [`gap ${prompt}`]: { [to]: 1 } } }],
      [proposeMore, {}],
      [fillOtherGaps, {}],
    );

  it('asks for the other forms of what is searched for in another script, and of nothing else', () => {
    expect(keysOf(lookUpForeignForms, filledWith('pelmeni', 'пельмени'))).toEqual(['forms']);
    expect(keysOf(lookUpForeignForms, filledWith('пельмини', 'пельмени'))).toEqual([]);
    expect(keysOf(lookUpForeignForms, missing('lamp'))).toEqual([]);
  });

  it('searches for the forms that items contain', () => {
    const known = filledWith('pelmeni', 'пельмени');
    const [question] = lookUpForeignForms.ask(known);
    const names = Object.keys((question?.search.aggregations?.['items'] as { filters: { filters: object } }).filters.filters);
    const [first = ''] = names;
    expect(after(known, [lookUpForeignForms, { counts: { forms: { [first]: 1 } } }]).foreignForms).toMatchObject([
      { from: ['pelmeni'], kind: 'form', terms: [{ by: 'key', text: first.replace('пельмени ', '') }] },
    ]);
    expect(after(known, [lookUpForeignForms, {}]).foreignForms).toEqual([]);
  });
});

describe('of a word', () => {
  it('is remembered what was learnt, if it occurs and corrections were asked for', () => {
    const answers = { there: ['word lamp'] };
    expect(toRemember(after(knownOf('lamp qqqq'), [lookUpWords, answers])).map(([word]) => word)).toEqual(['lamp']);
    expect(toRemember(after(knownOf('lamp', { correct: false }), [lookUpWords, answers]))).toEqual([]);
    expect(toRemember(after(knownOf('lamp', { remembered: { lamp: OCCURS } }), [lookUpWords, {}]))).toEqual([]);
  });

  it('is absent what items contain in no way, unless that was not asked', () => {
    const known = after(knownOf('lamp qqqq'), [lookUpWords, { there: ['word lamp'] }]);
    expect(['lamp', 'qqqq', 'other'].map((word) => isAbsent(word, known))).toEqual([false, true, false]);
  });
});

describe('what a prompt costs is limited:', () => {
  const parse = (text: string) => parsePrompt(text, NEWEST_RULES);

  it('texts without blanks are corrected in eight texts and parts of them', () => {
    expect(runsOf(parse('กระต่ายน้ำทะเลเรือบ้านภูเขา'))).toHaveLength(8);
  });

  it('a word of more than 48 letters is not corrected', () => {
    expect([48, 49].map((length) => isRepairable('x'.repeat(length)))).toEqual([true, false]);
  });

  it('a word is looked up in ways of 100 terms', () => {
    const prompt = parse(`${'バ'.repeat(22)}ヴァ`);
    const { facts } = begin(prompt, { correct: true }, () => undefined);
    const termsOf = (ways: string[]): number => ways.join(' ').split(' ').length;
    expect(termsOf(prompt.words.flatMap((word) => waysOf(word, NEWEST_RULES)))).toBeGreaterThan(100);
    const terms = termsOf([...facts.values()].flatMap(({ ways = [] }) => ways));
    expect(terms).toBeGreaterThan(50);
    expect(terms).toBeLessThanOrEqual(100);
  });

  it('a prompt of up to 200 characters is remembered', () => {
    const remembered = (length: number) =>
      mayBeRemembered({ text: 'x'.repeat(length), missing: [], alternatives: [] } as unknown as Parameters<typeof mayBeRemembered>[0]);
    expect([remembered(200), remembered(201)]).toEqual([true, false]);
  });

  it('tags are counted by an expression of less than 1,000 characters, which Elasticsearch permits', () => {
    expect(tagKeyPattern('x'.repeat(5_000), NEWEST_RULES)).toBe(tagKeyPattern('x'.repeat(301), NEWEST_RULES));
    expect(tagKeyPattern('x'.repeat(5_000), NEWEST_RULES)?.length).toBeLessThan(1_000);
  });
});
