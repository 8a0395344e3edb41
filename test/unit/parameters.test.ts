import { allEndpoints } from '@ugc/api/endpoints/endpoints';
import { Problem } from '@ugc/items/problems/problem';
import { intervalOf, countByInterval } from '@ugc/api/search/facets/intervals';
import { SORTABLE } from '@ugc/api/search/parameters';
import { describe, expect, it } from '@jest/globals';
import { defaultEnv } from '../support/processes/default-env.ts';

type Read = { values: Record<string, unknown>; errors: { parameter?: string | undefined; detail: string }[] };

const endpoints = allEndpoints(defaultEnv());

/** Reads a query string as the endpoint of the path does. */
function read(path: string, query: string): Read {
  const endpoint = endpoints.find((each) => each.method === 'get' && each.path === path);
  try {
    return { values: endpoint?.query?.parse(query.slice(1)) as Read['values'], errors: [] };
  } catch (error) {
    if (!(error instanceof Problem && error.status === 400)) throw error;
    return { values: {}, errors: error.errors ?? [] };
  }
}
const list = (query: string): Read => read('/api/content', query);

function expectErrors({ errors }: Read, named: string[]): void {
  expect(errors.map(({ parameter }) => parameter).toSorted()).toEqual(named.toSorted());
}

describe('the parameters of a list', () => {
  describe('are 400 with the name of each invalid one', () => {
    const numbers = ['-1', '1.5', '1e3', '1,5', 'abc', '0x10', '%2B1', '+1', '1+', '%D9%A1', '1%00', '%22%22', 'NaN', 'null', '99999999999', '9007199254740993', '1'.repeat(400)]; // prettier-ignore
    it.each([...numbers, '2147483648'])('for the page number page=%s', (value) => expectErrors(list(`?page=${value}`), ['page']));
    it.each([...numbers, '0', '201', '1000000000'])('for the page size size=%s', (value) => expectErrors(list(`?size=${value}`), ['size']));

    it.each([
      'title', 'data', 'description', 'tags', '_score', '_id', '_doc', '_script', '__proto__', 'constructor', 'CREATEDAT', 'createdat', 'created_at', 'nameSort', 'deleted', 'words',
      'createdAt,up', 'createdAt,,', 'createdAt,asc,desc', 'createdAt;desc', 'createdAt:desc', 'createdAt+desc', '-createdAt', ',desc', ',', 'name,%20asc', '%20name',
      'name,asc&sort=title', '{"name":"asc"}', 'name%00',
    ])('and the valid sort fields for sort=%s', (value) => {
      const response = list(`?sort=${value}`);
      expectErrors(response, ['sort']);
      for (const field of SORTABLE) expect(response.errors[0]?.detail).toContain(field);
    }); // prettier-ignore

    it.each(['0', '21'])('for the number of similar items size=%s', (value) =>
      expectErrors(read('/api/content/{id}/similar', `?size=${value}`), ['size']),
    );

    it('when the sort field has another letter case, also with an empty direction', () => expectErrors(list('?sort=Name,'), ['sort']));

    it('when sort is given more than four times', () => expectErrors(list(`?${'sort=name&'.repeat(5)}`), ['sort']));

    it.each([
      ['sort', 4, 'sort=%FF&'],
      ['tags', 32, 'tags=%FF&'],
      ['contentId', 100, 'contentId=%FF&'],
    ])('when %s is given more than %i times, without checking the values', (parameter, max, pair) => {
      for (const is of [max + 1, 1_700])
        expect(list(`?${pair.repeat(is)}`).errors).toEqual([
          { parameter, detail: `must be given at most ${max} times`, code: 'too-many', values: { max, is } },
        ]);
      expect(list(`?${pair.repeat(max)}`).errors).toEqual([{ parameter, detail: 'must be percent-encoded UTF-8' }]);
    });

    it.each<[string, string]>([
      ['of 1,001 characters', 'a'.repeat(1_001)],
      ['of 1,001 characters beyond the 16 bits', encodeURIComponent('😀'.repeat(1_001))],
      ['with U+0000', 'a%00b'],
      ['that is not UTF-8', '%FF'],
      ['with an encoded surrogate', '%ED%A0%80'],
      ['with a broken escape', '100%'],
      ['that is given twice', 'a&prompt=b'],
    ])('for a prompt %s', (_, prompt) => {
      for (const path of ['/api/content', '/api/content/suggest']) expectErrors(read(path, `?prompt=${prompt}`), ['prompt']);
    });

    it.each(['page', 'size', 'prompt'])('when %s is given twice, even with equal values', (name) => {
      for (const values of [['1', '2'], ['1', '1']]) expectErrors(list(`?${name}=${values[0]}&${name}=${values[1]}`), [name]); // prettier-ignore
    });

    it.each([
      ['unknown', (n: number) => `x${n}=1`],
      ['mistaken', () => 'limit=1'],
      ['mistyped', () => 'promt=1'],
      ['without values', (n: number) => `x${n}`],
    ])('for more than 200 of them, without comparing each with the known ones: %s', (_, pair) => {
      const many = (count: number): string => Array.from({ length: count }, (__, n) => pair(n)).join('&');
      for (const { method, path, query } of endpoints) {
        if (method !== 'get' || !query) continue;
        const message = 'The query string has 201 parameters; the maximum is 200.';
        expect(() => query.parse(many(201))).toThrow(expect.objectContaining({ status: 400, code: 'invalid-parameters', message }));
        expect(JSON.stringify(read(path, `?${many(200)}&&`))).not.toContain('the maximum is 200');
      }
    });

    it('but not for those of the endpoint, which have limits of their own', () => {
      const ids = Array.from({ length: 100 }, (_, n) => n + 1);
      const tags = ids.slice(0, 32).map((id) => `tag ${id}`);
      const all = [['contentId', ids], ['tags', tags], ['anyTags[]', tags], ['excludeTags', tags], ['creatorId', ids.slice(0, 32)]] as const; // prettier-ignore
      const query = all.flatMap(([name, values]) => values.map((value) => `${name}=${value}`)).join('&');
      expect(query.split('&').length).toBeGreaterThan(200);
      expect(list(`?${query}`)).toMatchObject({ errors: [], values: { contentId: ids, anyTags: tags } });
    });

    it('for all invalid parameters of a request at once', () => {
      expectErrors(list('?page=-1&size=0&sort=x&prompt=a%00&prompt=b'), ['page', 'prompt', 'size', 'sort']);
    });
  });

  const TIME = /^must be a date such as .*, or a time with an offset such as/;
  const COUNT = 'must be an integer from 0 to 9007199254740991';
  const ID = 'must be an integer from 1 to 9007199254740991';
  const RATING = 'must be a number from 0 to 5 in decimal notation';
  it.each([
    ['creatorId=abc', 'creatorId', ID],
    ['creatorId=0', 'creatorId', ID],
    ['creatorId=1&creatorId=-2', 'creatorId', ID],
    ['creatorId=9007199254740992', 'creatorId', ID],
    ['excludeCreatorId=1,2', 'excludeCreatorId', ID],
    ['excludeCreatorId=1&excludeCreatorId=0', 'excludeCreatorId', ID],
    ['contentId=157&contentId=0', 'contentId', ID],
    ['contentId=157,158', 'contentId', ID],
    ['contentId=lighthouse', 'contentId', ID],
    ['content_id=157', 'content_id', 'must be written as contentId or contentId[]'],
    ['contentIds=157', 'contentIds', 'is not a parameter: use contentId'],
    ['minRating=5.1', 'minRating', RATING],
    ['minRating=-1', 'minRating', RATING],
    ['minRating=1e0', 'minRating', RATING],
    ['minRating=1&minRating=2', 'minRating', 'must be given only once'],
    [`tags=${'x'.repeat(65)}`, 'tags', /^must have at most 64 characters/],
    ['tags=a%00', 'tags', 'must not contain U+0000'],
    [`anyTags=a&anyTags=${'x'.repeat(65)}`, 'anyTags', /^must have at most 64 characters/],
    ['anyTags=%FF', 'anyTags', 'must be percent-encoded UTF-8'],
    [`excludeTags=${'x'.repeat(65)}`, 'excludeTags', /^must have at most 64 characters/],
    ['excludeTags=a%00', 'excludeTags', 'must not contain U+0000'],
    [`where=${'x'.repeat(301)}`, 'where', /^must have at most 300 characters/],
    ['minDownloads=-1', 'minDownloads', COUNT],
    ['minDownloads=1.5', 'minDownloads', COUNT],
    ['minDownloads=1&minDownloads=1', 'minDownloads', 'must be given only once'],
    ['maxDownloads=1e3', 'maxDownloads', COUNT],
    ['maxDownloads=9007199254740992', 'maxDownloads', COUNT],
    ['minDownloads=11&maxDownloads=10', 'minDownloads', 'must not be greater than maxDownloads'],
    ['createdFrom=yesterday', 'createdFrom', TIME],
    ['createdFrom=2026-02-30', 'createdFrom', TIME],
    [`createdFrom=2026-11-20T09:30:00.${'0'.repeat(64)}Z`, 'createdFrom', TIME],
    ['createdFrom=2026-11', 'createdFrom', TIME],
    ['createdFrom=20261120', 'createdFrom', TIME],
    ['createdFrom=1795132800000', 'createdFrom', TIME],
    ['createdFrom=10000-01-01', 'createdFrom', TIME],
    ['createdFrom=2026-11-20T09:30:00', 'createdFrom', TIME],
    ['createdFrom=2026-11-20T09:30', 'createdFrom', TIME],
    ['updatedTo=2026-11-20T09Z', 'updatedTo', TIME],
    ['createdTo=2026-11-20T24:00Z', 'createdTo', TIME],
    ['createdFrom=2026-11-20+09:30', 'createdFrom', TIME],
    ['createdTo=2026-11-20T24:00:00Z', 'createdTo', TIME],
    ['createdTo=2026-11-20T09:30:00%2B2400', 'createdTo', TIME],
    ['createdTo=2026-11-20%2B0100', 'createdTo', TIME],
    ['createdTo=2026-11-20T09:30:00%2B24:00', 'createdTo', TIME],
    ['createdTo=2026-11-20&createdTo=2026-11-21', 'createdTo', 'must be given only once'],
    ['updatedFrom=now-1d', 'updatedFrom', TIME],
    ['updatedTo=2026-11-20||/d', 'updatedTo', TIME],
    ['createdFrom=2026-11-20&createdTo=2026-11-19', 'createdFrom', 'must be before createdTo'],
    ['createdFrom=2026-11-20T01:30:00%2B01:00&createdTo=2026-11-20', 'createdFrom', 'must be before createdTo'],
    ['createdFrom=2026-11-27&createdTo=2026-11-27', 'createdFrom', / createdTo, which is excluded: createdTo=2026-11-28 finds one day$/],
    ['updatedFrom=2026-12-31T09:30Z&updatedTo=2026-12-31T10:30%2B01:00', 'updatedFrom', /: updatedTo=2027-01-01T09:30:00.000Z finds/],
    ['updatedFrom=2026-11-21&updatedTo=2026-11-20', 'updatedFrom', 'must be before updatedTo'],
    ['include=data', 'include', 'must be tags, fileName, thumbnail, fields, recent, visibility or next'],
    ['fields=Summary', 'fields', /./],
    ['fields=name', 'fields', /./],
    ['highlight=true&highlight=true', 'highlight', 'must be given only once'],
    ['sort=best&sort=relevance', 'sort', /relevance and best/],
    ['sort=relevance,asc&sort=name&sort=best,asc', 'sort', /relevance and best/],
  ])('are 400 when they are not valid: %s', (query, parameter, detail) => {
    const found = typeof detail === 'string' ? detail : expect.stringMatching(detail);
    expect(list(`?${query}`).errors).toEqual([expect.objectContaining({ parameter, detail: found })]);
  });

  it.each(['prompt=a&prompt=', 'prompt=&prompt=a&prompt=%20', 'page=&page=1', 'highlight=&highlight=true&highlight='])(
    'are counted without those that are blank: %s',
    (query) => {
      const visible = query.split('&').filter((pair) => /=[a-z\d]/.test(pair));
      expect(list(`?${query}`)).toEqual(list(`?${visible.join('&')}`));
      expect(list(`?${query}`).errors).toEqual([]);
    },
  );

  it('have the same value, whatever zeros precede it', () => {
    expect(list('?size=0002&page=01').values).toMatchObject({ size: 2, page: 1 });
  });

  it.each([
    ['UTC', '2026-03-02T00:00:00Z'],
    ['an offset of zero, as in our own times', '2026-03-02T00:00:00.000%2B00:00'],
    ['an offset whose plus is not percent-encoded', '2026-03-02T00:00:00+00:00'],
    ['an offset to the east', '2026-03-02T05:45:00%2B05:45'],
    ['an offset without a colon, as Python prints it', '2026-03-02T01:00:00%2B0100'],
    ['such an offset to the west', '2026-03-01T13:00:00.000-1100'],
    ['an offset to the west', '2026-03-01T13:00:00.000-11:00'],
    ['a fraction of a millisecond, which is rounded up', '2026-03-01T23:59:59.9990000001Z'],
    ['whole minutes and UTC, as Java prints them', '2026-03-02T00:00Z'],
    ['whole minutes and an offset', '2026-03-02T01:00%2B01:00'],
    ['whole minutes and an offset whose plus is not percent-encoded', '2026-03-02T00:00+00:00'],
    ['microseconds and an offset, as Python prints them', '2026-03-02T00:00:00.000000%2B00:00'],
    ['ticks of 100 nanoseconds, as .NET prints them', '2026-03-02T00:00:00.0000000Z'],
  ])('understand a time with %s, and a date as its midnight in UTC', (_, time) => {
    for (const name of ['createdFrom', 'createdTo', 'updatedFrom', 'updatedTo'])
      expect(list(`?${name}=${time}`)).toEqual(list(`?${name}=2026-03-02`));
  });

  it('are 400 with an error for each range that is empty', () => {
    expectErrors(list('?minDownloads=2&maxDownloads=1&updatedFrom=2026-01-02&updatedTo=2026-01-01'), ['minDownloads', 'updatedFrom']);
  });

  it.each([
    ['contentId', 100] as const,
    ...['tags', 'anyTags', 'excludeTags', 'creatorId', 'excludeCreatorId', 'where', 'whereAll', 'whereNot'].map(
      (parameter) => [parameter, 32] as const,
    ),
  ])('may have as many values of %s as documented, %i, and no more', (parameter, max) => {
    const repeated = (times: number): string => `?${Array.from({ length: times }, (_, n) => `${parameter}=${n + 1}`).join('&')}`;
    expect(list(repeated(max)).values[parameter]).toHaveLength(max);
    expect(list(repeated(max + 1)).errors).toMatchObject([{ parameter, detail: `must be given at most ${max} times` }]);
  });
});

describe('the name of a parameter', () => {
  describe.each(['/api/content', '/api/content/facets'])('of %s', (path) => {
    it.each([
      ['tags[]=red', { tags: ['red'] }],
      ['tags%5B%5D=red', { tags: ['red'] }],
      ['tags=red&tags[]=blue', { tags: ['red', 'blue'] }],
      ['anyTags[]=blue&anyTags[]=green', { anyTags: ['blue', 'green'] }],
      ['excludeTags[]=red', { excludeTags: ['red'] }],
      ['creatorId[]=2', { creatorId: [2] }],
      ['contentId[]=157&contentId=158', { contentId: [157, 158] }],
      ['excludeCreatorId[]=1', { excludeCreatorId: [1] }],
      ['tags[]=', { tags: undefined }],
    ])('may end with [] if the parameter may be repeated: %s', (query, values) => {
      expect(read(path, `?${query}`).values).toMatchObject(values);
    });

    it.each([
      ['tags[0]', 'tags or tags[]'],
      ['tags[0][]', 'tags or tags[]'],
      ['tags[][]', 'tags or tags[]'],
      ['tags.0', 'tags or tags[]'],
      ['tags%255B%255D', 'tags or tags[]'],
      ['Tags', 'tags or tags[]'],
      ['TAGS[]', 'tags or tags[]'],
      ['any_tags', 'anyTags or anyTags[]'],
      ['creatorid', 'creatorId or creatorId[]'],
      ['creator-id', 'creatorId or creatorId[]'],
      ['creatorId[in]', 'creatorId or creatorId[]'],
      ['amp;anyTags', 'anyTags or anyTags[]'],
      ['prompt[]', 'prompt'],
      ['prompt[x]', 'prompt'],
      ['Prompt', 'prompt'],
      ['+prompt', 'prompt'],
      ['minRating[gte]', 'minRating'],
      ['min_rating', 'minRating'],
      ['CreatedFrom', 'createdFrom'],
      ['createdTo[]', 'createdTo'],
      ['match[]', 'match'],
    ])('is a 400 that names the right form if it is written as %s', (written, right) => {
      const parameter = new URLSearchParams(written).keys().next().value;
      expect(read(path, `?${written}=1`).errors).toEqual([{ parameter, detail: `must be written as ${right}` }]);
    });

    it.each([
      ['q', 'prompt'],
      ['query', 'prompt'],
      ['Search[]', 'prompt'],
      ['promt', 'prompt'],
      ['pormpt', 'prompt'],
      ['prompts', 'prompt'],
      ['tagss', 'tags'],
      ['tagsx[0]', 'tags'],
      ['creatorsId', 'creatorId'],
      ['exclude_tag', 'excludeTags'],
      ['createdTos', 'createdTo'],
    ])('is a 400 that names the right one if it is mistaken: %s', (written, right) => {
      expect(read(path, `?${written}=1`).errors).toEqual([{ parameter: written, detail: `is not a parameter: use ${right}` }]);
    });

    it.each([
      'tag=x',
      '_=1732500000',
      'foo[]=x',
      'filter[tags]=x',
      'lang=x',
      '[]=x',
      '=x',
      'constructor=x',
      'utm_source=x',
      'pag=1',
      'prmt=x',
      '__proto__=x',
      '%FF=%FF',
    ])('is ignored if it is unknown: %s', (query) => expect(read(path, `?${query}`)).toEqual(read(path, '')));
  });

  it('has these rules on every endpoint with parameters', () => {
    expect(read('/api/content/{id}', '?include[]=tags').values).toMatchObject({ include: ['tags'] });
    for (const [path, written, right] of [
      ['/api/content/{id}', 'Include', 'include or include[]'],
      ['/api/content/suggest', 'prompt[]', 'prompt'],
      ['/api/content/facets', 'tag_prefix', 'tagPrefix'],
    ] as const)
      expect(read(path, `?${written}=x`).errors).toEqual([{ parameter: written, detail: `must be written as ${right}` }]);
  });

  it('may end with [] for sort and include, and not for page and size', () => {
    expect(list('?sort[]=name,&include[]=tags&include=fileName').values).toMatchObject({
      sort: [{ field: 'name', direction: 'asc' }],
      include: ['tags', 'fileName'],
    });
    const wrong = list('?page[]=0&page[size]=1&Size=2&sort[0]=name').errors.map(({ detail }) => detail);
    expect(wrong).toEqual(['page', 'page', 'size', 'sort or sort[]'].map((form) => `must be written as ${form}`));
  });

  it.each([
    ['limit', 'size'],
    ['per_page', 'size'],
    ['perPage', 'size'],
    ['pageSize', 'size'],
    ['hitsPerPage', 'size'],
    ['offset', 'page, the zero-based number of a page'],
    ['pages', 'page, the zero-based number of a page'],
    ['order_by', 'sort=<field>,<asc or desc>'],
    ['orderBy', 'sort=<field>,<asc or desc>'],
    ['sort_by', 'sort=<field>,<asc or desc>'],
    ['order', 'sort=<field>,<asc or desc>'],
    ['direction', 'sort=<field>,<asc or desc>'],
    ['rows', 'size'],
    ['take', 'size'],
    ['skip', 'page, the zero-based number of a page'],
    ['author', 'creatorId'],
    ['userId', 'creatorId'],
    ['category', 'tags'],
    ['keyword', 'prompt'],
    ['since', 'createdFrom'],
    ['before', 'createdTo'],
    ['created_before', 'createdTo'],
    ['highligt', 'highlight'],
  ])('is a 400 if clients of other services mistake it in a list: %s', (written, right) => {
    expect(list(`?${written}=1`).errors).toEqual([{ parameter: written, detail: `is not a parameter: use ${right}` }]);
    expect(read('/api/content/{id}', `?${written}=1`)).toEqual(read('/api/content/{id}', ''));
  });

  it('is reported once, and cut if it is long', () => {
    const named = list(`?${'Page=0&'.repeat(3)}tags[${'x'.repeat(500)}]=a&size=0`).errors.map(({ parameter }) => parameter);
    expect(named).toEqual(['Page', `tags[${'x'.repeat(95)}`, 'size']);
  });
});

describe('the intervals of the facet created', () => {
  it('of more than 60 years are without those that have no items: a single item may be of the year 1', () => {
    const dayOf = (year: number, month = 0): number => new Date(0).setUTCFullYear(year, month, 1);
    const days = [dayOf(1), dayOf(1, 11), dayOf(1999), dayOf(2026), dayOf(2026, 6)].map((time) => ({ time, count: 2 }));
    expect(intervalOf(days)).toBe('year');
    expect(countByInterval(days, 'year')).toEqual([
      { from: dayOf(1), to: dayOf(2), count: 4 },
      { from: dayOf(1999), to: dayOf(2000), count: 2 },
      { from: dayOf(2026), to: dayOf(2027), count: 4 },
    ]);
    const years = (first: number) =>
      countByInterval(
        [dayOf(first), dayOf(2026)].map((time) => ({ time, count: 1 })),
        'year',
      ).length;
    expect([years(1967), years(1966)]).toEqual([60, 2]);
  });

  it.each([
    ['hour', '2025-05-01T00:30:00.000Z', '2025-05-02T23:59:59.999Z', 48],
    ['day', '2025-05-01T23:30:00.000Z', '2025-05-03T00:00:00.000Z', 3],
    ['day', '2025-01-01T00:00:00.000Z', '2025-03-01T23:59:59.999Z', 60],
    ['week', '2025-01-01T23:59:59.999Z', '2025-03-02T00:00:00.000Z', 9],
    ['week', '2025-01-01T00:00:00.000Z', '2025-06-01T00:00:00.000Z', 22],
    ['month', '2024-01-31T23:00:00.000Z', '2025-12-31T23:00:00.000Z', 24],
    ['quarter', '2015-01-01T00:00:00.000Z', '2025-12-31T23:00:00.000Z', 44],
    ['year', '1999-12-31T23:59:59.999Z', '2025-01-01T00:00:00.000Z', 27],
  ])('are a %s from %s to %s, and at most 60', (interval, first, last, count) => {
    const dayOf = (time: string): number => Date.parse(time.slice(0, 10));
    const days = [first, last].map((time) => ({ time: dayOf(time), count: 1 }));
    const chosen = intervalOf(days);
    expect(chosen).toBe(interval);
    const hours = [first, last].map((time) => ({ time: Math.floor(Date.parse(time) / 3_600_000) * 3_600_000, count: 1 }));
    const values = countByInterval(chosen === 'hour' ? hours : days, chosen);
    expect(values).toHaveLength(count);
    if (interval === 'week') for (const { from } of values) expect(new Date(from).getUTCDay()).toBe(1);
    expect(values.slice(1).map(({ from }) => from)).toEqual(values.slice(0, -1).map(({ to }) => to));
    const counts = values.map((value) => value.count);
    expect([counts[0], counts.at(-1), counts.reduce((sum, each) => sum + each)]).toEqual([1, 1, 2]);
  });
});
