import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { normalizePrompt, PromptCounts, type Search } from '@ugc/api/search/insights/prompt-counts';
import { minScore } from '@ugc/api/search/pages/sections';
import { correctionHeader, explain, searchedText } from '@ugc/api/search/prompt/explanation';
import { corrected, correctedBeginning, joined, meant, near, otherForms, otherWay, type Alternative } from '@ugc/text/prompt/alternatives';
import { relaxations, type Interpretation } from '@ugc/api/search/prompt/interpret-prompt';
import { MAX_CHOSEN_TERMS } from '@ugc/api/search/prompt/stages';
import { createPromptMemory } from '@ugc/api/search/prompt/prompt-memory';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import type { Word } from '@ugc/text/words/word';
import { parseSynonyms } from '@ugc/text/prompt/parse-synonyms';
import { Synonyms } from '@ugc/text/prompt/synonyms';
import { buildQuery } from '@ugc/api/search/query';
import { similarQuery } from '@ugc/api/search/similar/find-similar';
import type { Mapped } from '@ugc/api/search/answerable';
import { filterClauses, filterParameters } from '@ugc/api/search/filters';
import { SORTABLE } from '@ugc/api/search/parameters';
import { Problem } from '@ugc/items/problems/problem';
import { queryParser } from '@ugc/api/http/query-parameters';
import { buildSort, checkSort } from '@ugc/api/search/sort';
import { QUALITY_FACTOR } from '@ugc/shared/contracts/content-index';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { fromStored } from '@ugc/fields/definition';
import { fieldProperties } from '@ugc/fields/index-fields';
import { partDefinition } from '@ugc/fields/values';
import { mappedFields } from '@ugc/shared/contracts/content-index';
import fc from 'fast-check';
import { z } from 'zod';
import { defaultEnv } from '../support/processes/default-env.ts';
import { runs } from '../support/jest/long.ts';
import { asWritten } from '../support/search/searching.ts';
import { newestIndex } from '../support/search/newest-index.ts';

const KNOWN = { occurs: true, ways: [], forms: [], proposals: [] };

it('a phrase with a word that no item has is searched for without the word', () => {
  const withPhrase = asWritten(parsePrompt('"lighthouse at dusk" xyzzyq', NEWEST_RULES));
  expect(relaxations(withPhrase).map(({ required }) => required)).toEqual([0]);
  expect(relaxations(asWritten(parsePrompt('xyzzyq', NEWEST_RULES)))).toEqual([]);
});

it('similar items are looked for by 25 words of each text that few items have, and by 32 tags', () => {
  const tags = Array.from({ length: 40 }, (_, n) => `tag${n}`);
  const query = JSON.stringify(similarQuery({ contentId: 1, name: 'name', tags, description: 'word' }, [], NEWEST_RULES));
  expect(query).toContain('"max_query_terms":25');
  expect(query).toContain('"max_doc_freq":20000');
  expect(query.match(/"tags\.exact"/g)).toHaveLength(32);
});

it('similar items are looked for by the first 5,000 characters of each text', () => {
  const texts = { contentId: 1, name: 'name', tags: ['tag'], description: 'word '.repeat(2_000) };
  const query = similarQuery(texts, [], NEWEST_RULES) as { bool: { should: [{ more_like_this: { like: string[] } }] } };
  const [{ more_like_this: similar }] = query.bool.should;
  expect(similar.like.map((text) => text.trim().length <= 5_000)).toEqual([true, true, true]);
});

describe('known words', () => {
  let nowMs: number;
  const pass = (ms: number): void => {
    nowMs += ms;
    jest.advanceTimersByTime(ms);
  };
  beforeEach(() => {
    nowMs = 1_000;
    jest.useFakeTimers({ doNotFake: ['performance'] });
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('are forgotten after a short while, so that words of deleted items are corrected again', () => {
    const { knownWords: words } = createPromptMemory();
    words.set('kettle', KNOWN);
    pass(4_000);
    expect(words.has('kettle')).toBe(true);
    pass(2_000);
    expect(words.has('kettle')).toBe(false);
  });

  it('are limited in number: the word that was seen the longest time ago is forgotten first', () => {
    const { knownWords: words } = createPromptMemory();
    words.set('first', KNOWN);
    words.set('second', KNOWN);
    for (let n = 0; n < 19_999; n += 1) words.set(`word ${n}`, KNOWN);
    words.set('second', KNOWN);
    expect([words.has('first'), words.has('second'), words.has('word 0')]).toEqual([false, true, true]);
  });

  it('and prompts are freed when they are forgotten, and not when they are asked for again', () => {
    const { knownWords, knownPrompts } = createPromptMemory();
    knownWords.set('kettle', KNOWN);
    knownPrompts.set('kettle', interpretation([word('kettle')], new Map()));
    pass(1_500);
    expect([knownWords.size, knownPrompts.size, knownPrompts.calculatedSize]).toEqual([1, 0, 0]);
    pass(4_000);
    expect([knownWords.size, knownWords.calculatedSize]).toEqual([0, 0]);
  });

  it('and prompts are limited in bytes, however large users make each of them', () => {
    const { knownWords, knownPrompts } = createPromptMemory();
    const forms = Array.from({ length: 1_000 }, (_, n) => `de:${'form'.repeat(8)}${n}`);
    const large = { ...interpretation([word('kettle')], new Map()), alternatives: [otherForms(['kettle'], forms)] };
    const texts = forms.join('').length * 2;
    for (let n = 0; n < 1_000; n += 1) {
      knownPrompts.set(`prompt ${n}`, large);
      knownWords.set(`word ${n}`, { ...KNOWN, forms });
    }
    expect(knownPrompts.size * texts).toBeLessThan(32 * 2 ** 20);
    expect(knownWords.size * texts).toBeLessThan(16 * 2 ** 20);
    expect(knownPrompts.has('prompt 999') && knownWords.has('word 999')).toBe(true);
  });
});

const word = (text: string): Word => ({ text, kind: 'word', count: 1 });

function interpretation(words: Word[], replacements: Map<string, string>, missing: string[] = []): Interpretation {
  const written = asWritten({ ...parsePrompt('', NEWEST_RULES), words });
  const corrections = [...replacements].map(([from, to]) => corrected([from], to));
  return { ...written, missing, alternatives: [...written.alternatives, ...corrections] };
}

describe('the header Search-Correction', () => {
  it('is percent-encoded UTF-8, which every HTTP client accepts', () => {
    const words = [word('λιμανη'), word('a&b=c')];
    const replacements = new Map([
      ['λιμανη', 'λιμάνι'],
      ['a&b=c', 'a b'],
    ]);
    const value = correctionHeader(interpretation(words, replacements));
    expect(value).toMatch(/^[!-~]+$/);
    expect([...new URLSearchParams(value)]).toEqual([
      ['λιμανη', 'λιμάνι'],
      ['a&b=c', 'a b'],
    ]);
  });

  it('has at most 1 KB, and omits whole changes beyond it', () => {
    const texts = Array.from({ length: 16 }, (_, n) => `${'ж'.repeat(12)}${n}`);
    const replacements = new Map(texts.map((text) => [text, text.replaceAll('ж', 'ш')]));
    const value = correctionHeader(interpretation(texts.map(word), replacements)) ?? '';
    expect(value.length).toBeLessThanOrEqual(1_024);
    expect([...new URLSearchParams(value)].at(-1)?.map((text) => text.slice(0, 13))).toEqual([`${'ж'.repeat(12)}5`, `${'ш'.repeat(12)}5`]);
  });
});

it('the explanation separates corrected, split and missing words', () => {
  const words = ['lighthuose', 'dicetower', 'qqqq', 'lamp', 'harb'].map(word);
  const replacements = new Map([
    ['lighthuose', 'lighthouse'],
    ['dicetower', 'dice tower'],
  ]);
  expect(explain(interpretation(words, replacements, ['qqqq']))).toMatchObject({
    words: ['lighthouse', 'dice tower', 'qqqq', 'lamp', 'harb'],
    corrected: [{ from: 'lighthuose', to: 'lighthouse' }],
    split: [{ from: 'dicetower', to: 'dice tower' }],
    missing: ['qqqq'],
  });
});

it('the explanation names an unfinished word only if the query has a beginning for it', () => {
  const unfinishedOf = (text: string, others: Alternative[] = [], isTyped = true): string | null => {
    const { alternatives, ...written } = asWritten(parsePrompt(text, NEWEST_RULES));
    return explain({ ...written, alternatives: [...(isTyped ? alternatives : []), ...others] }).unfinished;
  };
  expect(['red z', 'red zeb', 'z', 'ㄷ', '두', 'red z -a'].map((text) => unfinishedOf(text))).toEqual([
    null,
    'zeb',
    null,
    null,
    '두',
    null,
  ]);
  expect(unfinishedOf('red z', [joined({ from: ['red', 'z'], to: 'redz', isBeginning: true })])).toBe('z');
  expect(unfinishedOf('red lihgth', [correctedBeginning(['lihgth'], 'light')])).toBe('light');
  expect(unfinishedOf('sofa', [otherWay('sofa', 'couch')], false)).toBe(null);
});

it('the explanation counts small words, and they are marked, where the query requires them', () => {
  const written = { ...asWritten(parsePrompt('una tetera para mi abuela', NEWEST_RULES)), required: 2 };
  const explained = (match: Interpretation['match']) => explain({ ...written, match });
  const stemsIn = (match: Interpretation['match']) =>
    searchedText({ ...written, match }).terms.flatMap(({ by, text }) => (by === 'stem' ? [text] : []));
  const words = ['tetera', 'abuela', 'una', 'para', 'mi'];
  expect([explained('all'), explained('most')]).toMatchObject([
    { words, required: 5 },
    { words, required: 2 },
  ]);
  expect([stemsIn('all'), stemsIn('most')]).toEqual([words, words.slice(0, 2)]);
});

it.each([
  ['k.,jdm', ['k', 'jdm'], 'любовь', ['любовь'], 1],
  ['k.,jdm vjht', ['k', 'jdm'], 'любовь', ['любовь', 'vjht'], 2],
  ['กระตายแมว', ['กระ', 'ตาย'], 'กระต่าย', ['กระต่าย', 'แมว'], 2],
])('what takes the place of several words is explained once, and ranked as one word: %s', (text, from, to, words, required) => {
  const written = { ...asWritten(parsePrompt(text, NEWEST_RULES)), required: 2 };
  const repaired = { ...written, alternatives: [...written.alternatives, corrected(from, to)], rare: from };
  expect(explain(repaired)).toMatchObject({ words, required, corrected: [{ from: from.join(' '), to }] });
  const ranked = JSON.stringify(buildQuery(repaired, [], { isRanked: true }));
  expect(ranked).not.toContain(`"query":"${from.join(' ')}`);
  expect(ranked).not.toContain(`${to} ${to}`);
  expect(ranked.includes(`"query":"${words.join(' ')}","boost":0.3`)).toBe(words.length > 1);
});

it('synonyms replace the words of a rule with =>: items with these words only are not searched for', () => {
  const prompt = parsePrompt('red sofa', NEWEST_RULES);
  const synonyms = new Synonyms(parseSynonyms(Buffer.from('sofa => couch')).rules);
  const written = asWritten(prompt);
  const meanings = synonyms.in(prompt).map((synonym) => meant(synonym, prompt, false));
  const alternatives = [...written.alternatives.filter(({ to }) => to !== 'sofa'), ...meanings];
  const { bool } = buildQuery({ ...written, alternatives }) as { bool: { must: unknown } };
  const query = JSON.stringify(bool.must);
  expect(query).toContain('couch');
  expect(query).toContain('red');
  expect(query).not.toContain('sofa');
});

it('a typed accent counts more than a name without it, and less in a prompt of several words', () => {
  const boostOf = (prompt: string): string[] =>
    JSON.stringify(buildQuery(asWritten(parsePrompt(prompt, NEWEST_RULES)), [], { isRanked: true })).match(
      /"accent:[^"]+","boost":[\d.]+/gu,
    ) ?? [];
  expect(boostOf('pêche').map((found) => found.split(':').at(-1))).toEqual(['6']);
  expect(boostOf('pêche vigne').map((found) => found.split(':').at(-1))).toEqual(['3']);
  expect(boostOf('pêche vigne rouge noire verte').map((found) => found.split(':').at(-1))).toEqual(['1.5']);
  expect(boostOf('"pêche melba"').map((found) => found.split(':').at(-1))).toEqual(['6']);
});

it('a typed accent counts so much more by best as the quality of what lacks it may be higher', () => {
  const written = asWritten(parsePrompt('pêche', NEWEST_RULES));
  const query = JSON.stringify(buildQuery(written, [], { isRanked: true, isWeighed: true }));
  const boosts = [...query.matchAll(/"accent:[^"]+","boost":([\d.]+)/gu)].map(([, boost]) => Number(boost));
  expect(boosts.reduce((sum, boost) => sum + boost) / 6).toBeCloseTo(16 / 9);
});

it('the whole name in another form ranks below a name as it is typed, and matches nothing', () => {
  const written = asWritten(parsePrompt('puppeter cluster', NEWEST_RULES));
  const clauses = (inNames: [string, string][]) =>
    buildQuery({ ...written, inNames: new Map(inNames) }, [], { isRanked: true }) as { bool: { must: unknown; should: unknown } };
  const { must, should } = clauses([['puppeter', 'puppeteer']]).bool;
  expect(must).toEqual(clauses([]).bool.must);
  expect(JSON.stringify(should)).toContain(`puppeteercluster","boost":${0.45 * 1.65}`);
  expect(JSON.stringify(clauses([]).bool.should)).not.toContain('puppeteercluster');
});

it.each([
  ['lighthuose', ['lighthuose'], 'lighthouse', 'lighthouse'],
  ['at the Lighthuose!', ['lighthuose'], 'lighthouse', 'at the lighthouse!'],
  ['(lighthuose), at dusk', ['lighthuose'], 'lighthouse', '(lighthouse), at dusk'],
  ['"at dusk/lighthuose"', ['lighthuose'], 'lighthouse', 'at dusk/lighthouse'],
  ['กระตาย', ['กระ', 'ตาย'], 'กระต่าย', 'กระต่าย'],
  ['กระตายแมว!', ['กระ', 'ตาย'], 'กระต่าย', 'กระต่าย แมว!'],
  ['k.,jdm', ['k', 'jdm'], 'любовь', 'любовь'],
])('a corrected prompt is the whole name, whatever stands beside its words: %s', (text, from, to, name) => {
  const written = asWritten({ ...parsePrompt('', NEWEST_RULES), text, words: from.map(word) });
  const query = buildQuery({ ...written, alternatives: [...written.alternatives, corrected(from, to)] });
  const keys = [...JSON.stringify(query).matchAll(/"terms":\{"nameKey":(\[[^\]]*\])/g)].flatMap(
    ([, list = '']) => JSON.parse(list) as string[],
  );
  expect(keys).toContain(name);
});

/** Of words, phrases and lists of terms in a query. */
function clausesIn(query: unknown): number {
  if (typeof query !== 'object' || query === null) return 0;
  const entries = Object.entries(query as Record<string, unknown>);
  return entries.reduce((sum, [kind, value]) => sum + (LEAVES[kind]?.(value as Record<string, unknown>) ?? clausesIn(value)), 0);
}

const termsOf = (value: Record<string, unknown>): number =>
  Object.values(value).reduce<number>((sum, one) => sum + String((one as { query?: string }).query ?? one).split(' ').length, 0);
const once = (): number => 1;
const LEAVES: Record<string, (value: Record<string, unknown>) => number> = {
  ...{ match: termsOf, match_phrase: termsOf, match_phrase_prefix: termsOf },
  ...{ term: once, terms: once, prefix: once },
};

it('the query of eight words with all that is searched for besides has at most a thousand clauses', () => {
  const prompt = parsePrompt('alphaword bravoword the charlieword deltaword of echoword foxtrotword golfword hotelword', NEWEST_RULES);
  const written = asWritten(prompt);
  const each = (make: (text: string, n: number) => Alternative, count: number): Alternative[] =>
    prompt.words.flatMap(({ text }) => Array.from({ length: count }, (_, n) => make(text, n)));
  const alternatives = [
    ...written.alternatives,
    ...each((text, n) => otherWay(text, `${text} w${n}`), MAX_CHOSEN_TERMS / 2),
    ...each((text, n) => otherForms([text], [`de:${text}${n}`]), 4),
    ...each((text, n) => near(text, `${text}n${n}`), 2),
    ...Array.from({ length: 16 }, (_, n) => joined({ from: [prompt.words[n % 8]?.text ?? ''], to: `joined${n} one`, isBeginning: true })),
  ];
  const query = buildQuery({ ...written, alternatives }, [], { isRanked: true });
  expect(prompt.words).toHaveLength(8);
  expect(clausesIn(query)).toBeGreaterThan(700);
  expect(clausesIn(query)).toBeLessThanOrEqual(1_000);
  // The names of reasons take one more for each word.
  const explained = buildQuery({ ...written, alternatives }, [], { isRanked: true, isExplained: true });
  expect(clausesIn(explained)).toBe(clausesIn(query) + prompt.words.length);
});

it('the clauses of a query have names only for explain=true, each of its own, and none is a position of a bonus', () => {
  const namesIn = (isExplained: boolean): (string | undefined)[] => {
    const written = asWritten(parsePrompt('#157 the copper kettle for drâwing', NEWEST_RULES));
    const query = JSON.stringify(buildQuery(written, [], { isRanked: true, isExplained }));
    return [...query.matchAll(/"_name":"([^"]+)"/g)].map(([, name]) => name);
  };
  expect(namesIn(false)).toEqual([]);
  const names = namesIn(true);
  expect(names.length).toBeGreaterThan(8);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => /^\d/.test(name ?? ''))).toEqual([]);
});

it('an item with all of three words counts more than any with two of them, by best too, and two words are required', () => {
  const weighedTiers = (prompt: string): object[] => {
    const query = buildQuery(asWritten(parsePrompt(prompt, NEWEST_RULES)), [], { isRanked: true, isWeighed: true });
    const { must, should } = (query as { bool: { must: object[]; should: object[] } }).bool;
    expect(Object.keys(must[0] ?? {})).toEqual(['function_score']);
    return should;
  };
  const boosts = (prompt: string): number[] =>
    [...JSON.stringify(weighedTiers(prompt)).matchAll(/"and","boost":1\}\}\},"boost":(\d+)/g)].map(([, boost]) => Number(boost));
  expect(boosts('copper kettle drawing')).toEqual([60]);
  expect(boosts('copper kettle')).toEqual([]);
  expect(boosts('one two three four five six seven eight')[0]).toBeLessThan(500 * QUALITY_FACTOR.min);
});

it('buildQuery matches every item that is not deleted for a blank prompt', () => {
  expect(buildQuery(undefined)).toEqual({ bool: { filter: [{ term: { deleted: false } }] } });
});

it('buildQuery requires a small word with match=all only, and ranks by it otherwise', () => {
  const written = asWritten(parsePrompt('una tetera', NEWEST_RULES));
  const clauses = (match: Interpretation['match']) =>
    buildQuery({ ...written, match, required: 1 }, [], { isRanked: true }) as { bool: { must: unknown; should: unknown } };
  expect(JSON.stringify(clauses('most').bool.must)).not.toContain('"una"');
  expect(JSON.stringify(clauses('most').bool.should)).toContain('{"match":{"text":{"query":"una","operator":"and","boost":0.2}}}');
  expect(JSON.stringify(clauses('all').bool.must)).toContain('"una"');
});

it('buildQuery ranks by the name without the words that no item has', () => {
  const ranked = buildQuery(interpretation([word('svg'), word('template')], new Map(), ['template']), [], { isRanked: true });
  expect(JSON.stringify(ranked)).toContain('{"match":{"folded.name.words":{"query":"svg","operator":"and"');
});

it('buildQuery gives a guess a tenth of the weight when fewer words are required, unless all words are guesses', () => {
  const guess = new Map([['tulimyly', 'tuulimylly']]);
  const weights = (words: Word[], isRelaxed: boolean): number[] => {
    const query = JSON.stringify(buildQuery({ ...interpretation(words, guess), isRelaxed }));
    return [...query.matchAll(/"tuulimylly","operator":"and","boost":([\d.]+)/g)].map(([, boost]) => Number(boost));
  };
  expect(weights([word('tulimyly'), word('kuva')], true)).toEqual([0.1]);
  expect(weights([word('tulimyly'), word('kuva')], false)).toEqual([1]);
  expect(weights([word('tulimyly')], true)).toEqual([1]);
});

it('buildQuery counts every quoted phrase for the rank', () => {
  const prompt = parsePrompt('"misty harbour" "two handles"', NEWEST_RULES);
  const query = JSON.stringify(buildQuery({ ...asWritten(prompt), words: [], required: 0 }, [], { isRanked: true }));
  for (const phrase of ['misty harbour', 'two handles']) expect(query).toContain(`{"query":"${phrase}","boost":1}`);
});

describe('buildSort', () => {
  const PROMPT = { hasPrompt: true, hasScores: true };
  const NO_PROMPT = { hasPrompt: false, hasScores: false };
  const ONLY_EXCLUDES = { hasPrompt: true, hasScores: false };
  it.each([
    ['by the field, with contentId as the tiebreaker in the same direction', 'avgRating', 'asc', PROMPT, { avgRating: 'asc' }],
    ['texts by their folded sort fields', 'name', 'desc', NO_PROMPT, { nameSort: 'desc' }],
    ['by score for relevance with a prompt', 'relevance', 'desc', PROMPT, { _score: { order: 'desc' } }],
    ['by creation time for relevance without a prompt', 'relevance', 'desc', NO_PROMPT, { createdAt: 'desc' }],
    ['by score for best with a prompt', 'best', 'desc', PROMPT, { _score: { order: 'desc' } }],
    ['by quality for best without a prompt', 'best', 'desc', NO_PROMPT, { quality: 'desc' }],
    ['by quality for best with a prompt that only excludes', 'best', 'asc', ONLY_EXCLUDES, { quality: 'asc' }],
  ] as const)('sorts %s', (_what, field, direction, sorted, clause) => {
    expect(buildSort([{ field, direction }], { ...sorted, index: newestIndex() })).toEqual([clause, { contentId: direction }]);
  });
});

describe('an index that lacks a field', () => {
  const EMPTY = { fields: new Set<string>() };
  const refused = (ask: () => unknown): string[] => {
    try {
      ask();
    } catch (error) {
      return error instanceof Problem && error.code === 'rebuild-due' ? (error.errors ?? []).map(({ parameter = '' }) => parameter) : [];
    }
    return [];
  };

  const schemas = z.object(filterParameters(defaultEnv()));
  const declared = fromStored([
    { name: 'licence', ...partDefinition('keyword') },
    { name: 'players', ...partDefinition('number') },
  ]);
  const parsed = queryParser(schemas);
  const parse = (query: string) => ({ ...parsed(query), declared });
  const filters = Object.entries(schemas.shape).map(([name, schema]): [name: string, query: string] => {
    const [value] = [schema.meta()?.['example']].flat();
    return [name, new URLSearchParams([[name, String(value)]]).toString()];
  });
  it.each(filters)('is not asked for %s', (name, query) => {
    expect(refused(() => filterClauses(parse(query), EMPTY))).toEqual([name]);
    const index = newestIndex();
    const fields = new Set([...index.fields, ...mappedFields({ fields: fieldProperties(declared) ?? {} })]);
    expect(filterClauses(parse(query), { ...index, fields })).toHaveLength(1);
  });

  it.each(SORTABLE.filter((field) => field !== 'relevance'))('is not asked for the order %s', (field) => {
    const sort = (index: Mapped) => buildSort([{ field, direction: 'asc' }], { hasPrompt: false, hasScores: false, index });
    expect(refused(() => sort(EMPTY))).toEqual(['sort']);
    expect(sort(newestIndex())).toHaveLength(2);
  });
});

it('checkSort refuses relevance and best in one list, in any order', () => {
  const keys = (...fields: ('best' | 'relevance' | 'name')[]) => ({ sort: fields.map((field) => ({ field, direction: 'desc' as const })) });
  for (const sort of [keys('best'), keys('relevance', 'name'), keys('best', 'name')]) expect(checkSort(sort)).toEqual([]);
  for (const sort of [keys('best', 'relevance'), keys('relevance', 'name', 'best')]) {
    expect(checkSort(sort)).toMatchObject([{ parameter: 'sort' }]);
  }
});

/** Longer than a user types without a pause. */
const PAUSE_MS = 60_000;

function counts() {
  let omitted = 0;
  let nowMs = 0;
  const collected = new PromptCounts(() => void (omitted += 1));
  const add = (user: number, prompt: string, result: Partial<Search> = { isEmpty: true }): void =>
    collected.add({ user, prompt, isEmpty: false, correction: undefined, begunAtMs: (nowMs += 100), ...result });
  return {
    add,
    pause: () => void (nowMs += PAUSE_MS),
    take: (begunBeforeMs?: number) => collected.take(begunBeforeMs),
    prompts: () => collected.take().map(({ user, prompt }) => [user, prompt]),
    omitted: () => omitted,
  };
}

describe('what counts', () => {
  it('is a prompt that found nothing or was corrected, once for each user until it is stored', () => {
    const { add, pause, take } = counts();
    for (const user of [1, 2]) {
      for (let times = 0; times < 3; times++, pause()) add(user, 'tower');
      add(user, 'lighthuose', { correction: 'lighthouse' });
      add(user, 'found', {});
    }
    const expected = (user: number) => [
      expect.objectContaining({ user, prompt: 'tower', isEmpty: true }),
      expect.objectContaining({ user, prompt: 'lighthuose', isEmpty: false, correction: 'lighthouse' }),
    ];
    expect(take()).toEqual([...expected(1), ...expected(2)]);
    expect(take()).toEqual([]);
  });

  it('is only the end of what a user types or deletes letter by letter, whether it is found or not', () => {
    const { add, prompts } = counts();
    for (const typed of ['q', 'qu', 'quo', 'quokka', 'quokka t', 'quokka tower']) add(1, typed);
    expect(prompts()).toEqual([[1, 'quokka tower']]);
    for (const typed of ['ligt', 'ligth']) add(1, typed);
    add(1, 'lig', {});
    add(1, 'lighthouse', {});
    expect(prompts()).toEqual([]);
    for (const typed of ['quokkas', 'quokka']) add(1, typed);
    expect(prompts()).toEqual([[1, 'quokka']]);
  });

  it('is what was typed before a pause, or before something else, or by another user', () => {
    const { add, pause, prompts } = counts();
    add(1, 'quo');
    add(2, 'quokka');
    pause();
    add(1, 'quokka');
    add(1, 'wombat');
    expect(prompts().toSorted()).toEqual([
      [1, 'quo'],
      [1, 'quokka'],
      [1, 'wombat'],
      [2, 'quokka'],
    ]);
  });

  it('is what was typed last, also if an earlier search ends later', () => {
    const { add, prompts } = counts();
    add(1, 'quokka', { isEmpty: true, begunAtMs: 500 });
    add(1, 'quo', { isEmpty: true, begunAtMs: 400 });
    expect(prompts()).toEqual([[1, 'quokka']]);
  });

  it('is not a beginning whose search ends after that of the complete prompt, which found something', () => {
    const { add, prompts } = counts();
    add(1, 'lighthouse', { begunAtMs: 500 });
    add(1, 'lighth', { isEmpty: true, begunAtMs: 400 });
    expect(prompts()).toEqual([]);
  });

  it('is the first of equal searches, of which later ones have other settings', () => {
    const { add, take } = counts();
    add(1, 'lighthuose', { correction: 'lighthouse' });
    add(1, 'lighthuose');
    expect(take()).toMatchObject([{ correction: 'lighthouse' }]);
  });

  it('waits until the user has stopped typing', () => {
    const { add, take } = counts();
    add(1, 'quo', { isEmpty: true, begunAtMs: 1_000 });
    expect(take(1_000)).toEqual([]);
    expect(take(1_001)).toHaveLength(1);
  });
});

describe('a flood', () => {
  it('of one user takes a small part, and all prompts of others are counted', () => {
    const { add, pause, prompts, omitted } = counts();
    for (let n = 0; n < 10_000; n++) add(1, `${n} flood`);
    for (let user = 2; user <= 200; user++) add(user, 'quokka');
    pause();
    const taken = prompts();
    expect(taken.filter(([user]) => user !== 1)).toHaveLength(199);
    const ofOne = taken.filter(([user]) => user === 1).length;
    expect(ofOne).toBeLessThanOrEqual(10);
    expect(omitted()).toBe(10_000 - ofOne);
  });

  it('of one user ends for the day', () => {
    const { add, prompts } = counts();
    let counted = 0;
    for (let n = 0; n < 1_000; n++) {
      add(1, `${n} flood`);
      counted += prompts().length;
    }
    expect(counted).toBe(10);
    add(2, 'quokka');
    expect(prompts()).toEqual([[2, 'quokka']]);
  });

  it('of one user ends for the day as long as at most 10,000 users are known', () => {
    const { add, prompts } = counts();
    const flood = (): number => {
      for (let n = 0; n < 20; n++) add(1, `${n} flood`);
      return prompts().length;
    };
    const others = (from: number, to: number): void => {
      for (let user = from; user < to; user++) add(user, `quokka ${user}`);
      prompts();
    };
    expect([flood(), flood()]).toEqual([10, 0]);
    for (let user = 2; user < 9_502; user += 500) others(user, user + 500);
    expect(flood()).toBe(0);
    for (let user = 9_502; user < 20_002; user += 500) others(user, user + 500);
    expect(flood()).toBe(10);
  });

  it('of many users or long prompts takes a bounded amount of memory', () => {
    const { add, prompts, omitted } = counts();
    for (let user = 0; user < 3_000; user++) for (const prompt of ['quokka', 'wombat']) add(user, `${prompt} ${user}`);
    const taken = prompts().length;
    expect(taken).toBeLessThanOrEqual(1_000);
    expect(omitted()).toBe(6_000 - taken);
    add(1, '😀'.repeat(101));
    add(2, '😀'.repeat(100));
    expect(prompts()).toEqual([[2, '😀'.repeat(100)]]);
  });
});

describe('a prompt', () => {
  it.each([
    ['  Quokka\t\n TOWER ', 'quokka tower'],
    ['Cafe\u0301', 'café'],
    ['a\u202eb\u200bc', 'abc'],
    ['a\u001b[31mb', 'a [31mb'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['東京　タワー', '東京 タワー'],
  ])('%j is counted as %j', (prompt, normalized) => expect(normalizePrompt(prompt)).toBe(normalized));

  it('is counted under a text that is its own normal form and steers no terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (prompt) => {
        const normalized = normalizePrompt(prompt);
        expect(normalized).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]|^\s|\s$/u);
        expect(normalizePrompt(normalized)).toBe(normalized);
      }),
      { numRuns: runs(20, 100) },
    );
  });
});

const score = fc.float({ min: 0, max: Math.fround(1e9), noNaN: true });

it('the scores from a score on begin at this score', () => {
  fc.assert(fc.property(score, (from) => expect(minScore(from, true)).toBe(from)));
});

it('the scores above a score begin at the next one, so that no item between two sections is skipped', () => {
  fc.assert(
    fc.property(score, (from) => {
      const next = minScore(from, false);
      expect(next).toBeGreaterThan(from);
      // No 32-bit number lies between them.
      expect([from, next]).toContain(Math.fround((from + next) / 2));
    }),
  );
});
