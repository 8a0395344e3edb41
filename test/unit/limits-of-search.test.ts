import { describe, expect, it, jest } from '@jest/globals';
import type { estypes } from '@elastic/elasticsearch';
import { queryParser } from '@ugc/api/http/query-parameters';
import { countEntries } from '@ugc/api/search/facets/entry-counts';
import { facetParameters } from '@ugc/api/search/facets/facets';
import { COUNTED_MAX, probabilityFor } from '@ugc/api/search/facets/sampling';
import { facetSearches } from '@ugc/api/search/facets/facet-searches';
import { IndexLookup } from '@ugc/api/search/index-lookup';
import { nameQuery } from '@ugc/api/search/name-query';
import { createKnownLists, isEmptyPage } from '@ugc/api/search/pages/read-page';
import { samplePositions, sampleValues } from '@ugc/api/search/pages/sample';
import { seek } from '@ugc/api/search/pages/seek';
import { gapsOf, type Gap } from '@ugc/api/search/prompt/gaps';
import { begin, type Known } from '@ugc/api/search/prompt/known';
import { proposeLast } from '@ugc/api/search/prompt/last-resort';
import { askOthers } from '@ugc/api/search/prompt/others';
import { propose, unlistedIn, type Answers, type Question } from '@ugc/api/search/prompt/questions';
import { tiersOf } from '@ugc/api/search/ranking-query';
import type { Found, Query } from '@ugc/api/search/response';
import { Session } from '@ugc/api/search/session';
import { findBest } from '@ugc/api/search/similar/find-similar';
import { findCompletions } from '@ugc/api/search/suggestions/suggest';
import { beginningQuery, nameBeginning } from '@ugc/api/search/text-fields';
import { promptText } from '@ugc/api/search/meaning/meaning';
import { NO_FIELDS } from '@ugc/fields/definition';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { Readable } from 'node:stream';
import { defaultEnv } from '../support/processes/default-env.ts';
import { newestIndex } from '../support/search/newest-index.ts';
import { asWritten, callerWithoutLimits } from '../support/search/searching.ts';

// What Elasticsearch answers is a value here: `relevance/requests` and `api` ask a real one.

const parse = (prompt: string) => parsePrompt(prompt, NEWEST_RULES);
const letters = (count: number, of: (letter: string) => string): string[] =>
  Array.from({ length: count }, (_, n) => of(String.fromCharCode(97 + n)));

/** A session that answers each search as the function does. */
function sessionOf(answer: (search: estypes.SearchRequest) => unknown) {
  const asked: estypes.SearchRequest[] = [];
  const found = (search: estypes.SearchRequest): never => (asked.push(search), answer(search)) as never;
  const session = {
    index: newestIndex(),
    search: async (search: estypes.SearchRequest) => found(search),
    searchMany: async (searches: estypes.SearchRequest[]) => searches.map(found),
  } as unknown as Session;
  return { session, asked };
}

describe('of one page that is deep in a list', () => {
  const total = 1_000_000;
  const sampled = { query: { match_all: {} }, sort: [], from: 0, to: 10, count: total, seed: 1 };
  const EMPTY = { hits: { total: { value: 0 } }, aggregations: { sample: { doc_count: 0, of: { buckets: [], hits: { hits: [] } } } } };

  it.each([
    ['half of a short list', { to: 1, count: 10 }, 0.5],
    ['ten thousand items of a long one', { to: 1, count: 1_000_000 }, 0.01],
    ['so many that its values are 1,000 at most', { to: 100_000, count: 100_000 }, 0.008],
  ])('the sample has %s', async (_, ranks, probability) => {
    const { session, asked } = sessionOf(() => EMPTY);
    await sampleValues(session, { ...sampled, ...ranks }, { field: 'name', descending: false });
    expect(asked[0]).toMatchObject({
      aggs: { sample: { random_sampler: { probability }, aggs: { of: { terms: { field: 'name', size: 1_000 } } } } },
    });
  });

  it('the sample has 100 positions, which Elasticsearch permits', async () => {
    const { session, asked } = sessionOf(() => EMPTY);
    await samplePositions(session, { ...sampled, to: 100_000, count: 100_000 });
    const sample = { random_sampler: { probability: 0.0008 }, aggs: { of: { top_hits: { size: 100 } } } };
    expect(asked[0]).toMatchObject({ aggs: { sample } });
  });

  it('samples are taken 25 times at most, whatever they tell', async () => {
    const { session, asked } = sessionOf(() => EMPTY);
    const keys = [{ field: 'name', descending: false }];
    const page = { query: { match_all: {} }, sort: [{ name: 'asc' as const }], keys, from: 500_000, to: 500_010, total };
    await expect(seek(session, page, 5_000)).rejects.toThrow('25 samples');
    expect(asked.filter(({ aggs }) => aggs !== undefined)).toHaveLength(25);
  });

  it('1,000 long lists are remembered, of which the total is counted apart', () => {
    const lists = createKnownLists();
    for (let n = 0; n < 3_000; n += 1) lists.set(`list ${n}`, {});
    expect(lists.size).toBe(1_000);
  });

  it('a response of 4 KiB has items, so that it is not parsed for its total', () => {
    const body = JSON.stringify({
      timed_out: false,
      _shards: { total: 1, successful: 1, failed: 0 },
      hits: { total: { value: 0 }, hits: [] },
    });
    const padded = (bytes: number) => isEmptyPage({ response: Buffer.from(body.padEnd(bytes)) }, 1);
    expect([padded(4_095), padded(4_096)]).toEqual([true, false]);
  });
});

describe('of a prompt', () => {
  const gapsIn = (prompt: string): Gap[] => gapsOf(parse(prompt), parse(prompt).words.map(({ text }) => text), () => []); // prettier-ignore

  it('sixteen words are corrected, and eight texts that are typed with another layout of the keyboard', () => {
    const words = letters(20, (letter) => `lampp${letter}`).join(' ');
    expect(gapsIn(`${words} end1`).filter(({ kind }) => kind === 'word')).toHaveLength(16);
    expect(gapsIn(letters(10, (letter) => `k${letter}.jdm`).join(' ')).filter(({ kind }) => kind === 'keys')).toHaveLength(8);
  });

  it('a part of a word has three proposals, and a word eight; then others can be there that are not listed', () => {
    const [last] = proposeLast(['lighthouse']);
    expect(last?.search.suggest).toMatchObject({ proposals: { term: { size: 3 } } });
    const [first] = propose('proposals', ['lamp'], {});
    expect(first?.search.suggest).toMatchObject({ proposals: { term: { size: 8 } } });
    const answersWith = (count: number): Answers => {
      const options = letters(count, (letter) => `lamp${letter}`).map((text, n) => ({ text, freq: 90 - n }));
      return new Map([['proposals', { suggest: { proposals: [{ text: 'lamp', options }] } } as unknown as Found]]);
    };
    expect([7, 8].map((count) => unlistedIn(answersWith(count), 'proposals')('lamp'))).toEqual([0, 83]);
  });

  it('the items of twelve accounts are read for each of two words, of which thirty similar ones are counted', () => {
    const known: Known = {
      ...begin(parse('lighthuose keepre tower'), { correct: true }, () => undefined),
      gaps: gapsIn('lighthuose keepre towre').map((gap) => ({ ...gap, unlisted: 5 })),
    };
    const [readOthers, countOthers] = askOthers(1);
    const asked: Question[] = readOthers?.ask(known) ?? [];
    expect(asked.map(({ key, search }) => [key, search.size])).toEqual([['others lighthuose', 12], ['others keepre', 12]]); // prettier-ignore
    const similar = [...'abcdefghijklmnopqrst'].flatMap((letter) => [`l${letter}ghthuose`, `lighthuos${letter}`, `lighthuo${letter}e`]);
    const hits = [{ _source: { name: similar.join(' '), description: '', tags: [] } }];
    const answers: Answers = new Map([['others lighthuose', { hits: { hits } } as unknown as Found]]);
    const learnt = { ...known, ...readOthers?.learn(known, answers) };
    expect(learnt.gaps[0]?.others).toHaveLength(30);
    expect(countOthers?.ask(learnt).map(({ key }) => key)).toEqual(['gap lighthuose']);
  });

  it('of the items of other accounts, descriptions are read up to 1,000 characters, since the event loop reads them', () => {
    const known: Known = {
      ...begin(parse('lighthuose tower'), { correct: true }, () => undefined),
      gaps: gapsIn('lighthuose').map((gap) => ({ ...gap, unlisted: 5 })),
    };
    const description = 'lighthouse '.padEnd(989, '. ') + ' lighthouxe '.padEnd(500, '. ') + ' lighthouze';
    const hits = [{ _source: { name: '', description, tags: [] } }];
    const answers: Answers = new Map([['others lighthuose', { hits: { hits } } as unknown as Found]]);
    expect(askOthers(2)[0]?.learn(known, answers)).toMatchObject({ gaps: [{ others: ['lighthouse', 'lighthouxe'] }] });
  });

  it('the words of three are compared by how near they stand to each other, if one is rare, and of more none', () => {
    const isNear = (prompt: string): boolean => JSON.stringify(tiersOf({ ...asWritten(parse(prompt)), rare: ['lamp'] })).includes('"slop"');
    expect(['red lamp', 'red lamp post', 'red lamp post box'].map(isNear)).toEqual([true, true, false]);
  });

  it('eight small words are searched for in names, and eight pairs with one', () => {
    const small = 'the of and in on at by for with from to a'.split(' ');
    const clauses = JSON.stringify(nameQuery(asWritten(parse(`${small.join(' ')} lighthouse`))));
    expect(clauses.match(/"boost":0\.5/g)).toHaveLength(8);
    expect(clauses.match(/"boost":0\.3/g)).toHaveLength(8);
  });

  it('a model gets the first 500 characters', () => {
    expect(promptText(asWritten(parse('lighthouse '.repeat(90))))).toHaveLength(500);
  });

  it('the beginning of a word is as long as the prefixes that the index has, and the rest is compared in few words', () => {
    const { words, folded } = INDEX_BODY.mappings.properties as unknown as {
      words: { index_prefixes: { max_chars: number } };
      folded: { properties: { name: { fields: { words: { index_prefixes: { max_chars: number } } } } } };
    };
    const max = words.index_prefixes.max_chars;
    const inNames = folded.properties.name.fields.words.index_prefixes.max_chars;
    const isIndexed = (query: Query): boolean => query?.match_phrase_prefix !== undefined;
    expect([max, max + 1].map((length) => isIndexed(beginningQuery('x'.repeat(length))))).toEqual([true, false]);
    expect([inNames, inNames + 1].map((length) => isIndexed(nameBeginning('x'.repeat(length))))).toEqual([true, false]);
  });
});

describe('of a search', () => {
  it('a facet has its 20 largest values', () => {
    const parameters = { ...queryParser(facetParameters(defaultEnv()))(''), declared: NO_FIELDS };
    const searches = facetSearches(parameters, undefined, { index: newestIndex(), counts: [] });
    expect(JSON.stringify(searches)).toMatch(/"creators":\{"terms":\{"field":"facets\.creatorId","size":20\}/);
  });

  it('with counts=sampled, at most 200,000 matches are counted, in the same part until they have doubled', () => {
    const parts = [200_000, 200_001, 400_000, 400_001, 1e7, 1e9].map((matches) => probabilityFor(matches, COUNTED_MAX));
    expect(parts).toEqual([undefined, 1 / 2, 1 / 2, 1 / 4, 1 / 64, 1 / 8_192]);
  });

  it('the values of a part of a group beside a range of another are counted in three searches at most', async () => {
    const candidates = Array.from({ length: 500 }, (_, n) => ({ value: String(n), count: 500 - n }));
    let searches = 0;
    // No candidate has a match in the range, so none ends the search.
    const searchMany = () => ((searches += 1), Promise.resolve([{ aggregations: { values: { buckets: {} } } }]));
    const count = { queryOf: () => ({ match_all: {} }), keys: 1, shown: String, property: 'p', terms: { field: 'p' } };
    const counts = [{ path: 'build.game', count }] as never;
    const session = { index: newestIndex(), searchMany } as never;
    const parameters = { ...queryParser(facetParameters(defaultEnv()))(''), declared: NO_FIELDS };
    const buckets = candidates.map(({ value, count: docs }) => ({ key: value, doc_count: docs }));
    const found = { 'fields.build.game': { buckets, sum_other_doc_count: 0, doc_count_error_upper_bound: 0 } };
    await countEntries(session, { parameters, prompt: undefined, counts, sampled: {} }, found);
    expect(searches).toBe(3);
    // As many candidates are asked for as three searches count.
    expect(JSON.stringify(facetSearches(parameters, undefined, { index: newestIndex(), counts }))).toContain('"size":300');
  });

  it('the index behind the alias is asked for again after a second', () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(5_000);
    try {
      const lookup = new IndexLookup({} as never);
      let asked = 0;
      const find = (atMs: number): number => {
        now.mockReturnValue(atMs);
        void lookup.find(() => ((asked += 1), new Promise(() => undefined)));
        return asked;
      };
      expect([5_000, 6_000, 6_001].map(find)).toEqual([1, 1, 2]);
    } finally {
      now.mockRestore();
    }
  });

  it('the responses to several small ones have 4 MiB together, and are not read further', async () => {
    const sent = (bytes: number): Promise<Found[]> => {
      const body = Buffer.from(JSON.stringify({ responses: [] }).padEnd(bytes));
      const elasticsearch = {
        msearch: async () => ({ body: Readable.from([body]), statusCode: 200, headers: {}, warnings: null, meta: {} }),
      };
      const source = { elasticsearch, alias: 'content', limits: { PAGE_MAX_BYTES: 2 ** 30, LIST_TIMEOUT_MS: 60_000 } } as never;
      const signal = new AbortController().signal;
      return new Session(source, callerWithoutLimits(), { index: newestIndex(), signal }).searchMany([{ query: { match_all: {} } }]);
    };
    expect(await sent(4 * 2 ** 20)).toEqual([]);
    await expect(sent(4 * 2 ** 20 + 1)).rejects.toMatchObject({ cause: { message: expect.stringContaining('exceed 4194304 bytes') } });
  });
});

describe('of similar items', () => {
  const hit = (contentId: number, creatorId: number) => ({ _score: 1, fields: { contentId: [contentId], creatorId: [creatorId], name: [`item ${contentId}`] } }); // prettier-ignore

  it('two are of one creator, and after three searches, which find those of one creator each, no more are looked for', async () => {
    let round = 0;
    const { session, asked } = sessionOf(() => {
      round += 1;
      return { hits: { hits: Array.from({ length: 100 }, (_, n) => hit(1_000 * round + n, round)) } };
    });
    const best = await findBest(session, { match_all: {} }, { contentId: 1, size: 20 });
    expect(best.map(({ creatorId }) => creatorId).toSorted()).toEqual([1, 1, 2, 2, 3, 3]);
    expect(asked).toHaveLength(3);
  });
});

describe('of a prompt that is being typed', () => {
  const NAMES = Array.from({ length: 30 }, (_, n) => ({ _id: String(n), fields: { name: [`lamp ${n}`], creatorId: [n] } }));

  it('eight completions are shown, and none of more than 300 characters', async () => {
    const { session, asked } = sessionOf(({ sort }) => ({ hits: { hits: sort ? NAMES : [] } }));
    expect(await findCompletions(session, 'lamp')).toHaveLength(8);
    const before = asked.length;
    expect(await findCompletions(session, 'x'.repeat(301))).toEqual([]);
    expect(asked).toHaveLength(before);
    await findCompletions(session, 'x'.repeat(300));
    expect(asked.length).toBeGreaterThan(before);
  });
});
