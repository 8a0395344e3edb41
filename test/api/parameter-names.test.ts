import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';

const LIST_LIKE = ['/api/content', '/api/content/facets'];

describe('the name of a query parameter', () => {
  const service = forAllTests(() => startService());
  let id: number;
  beforeAll(async () => {
    id = await service.client.upload({ name: 'One', tags: ['red', 'blue'] });
    await service.client.upload({ name: 'Two', tags: ['red'] });
    await service.client.upload({ name: 'Three', tags: ['green'] });
    await service.indexed();
  });

  const totalOf = async (path: string, query: string): Promise<number> => {
    const { status, body } = await service.client.get(`${path}?${query}`);
    expect({ query, status }).toEqual({ query, status: 200 });
    return body.totalElements;
  };

  describe.each(LIST_LIKE)('of %s', (path) => {
    it.each([
      ['tags[]=red', 2],
      ['tags%5B%5D=red', 2],
      ['tags[]=red&tags[]=blue', 1],
      ['tags=red&tags[]=blue', 1],
      ['anyTags[]=blue&anyTags[]=green', 2],
      ['excludeTags[]=red', 1],
      ['creatorId[]=2', 0],
      ['excludeCreatorId[]=1', 0],
      ['tags[]=', 3],
    ])('may end with [] if the parameter may be repeated: %s', async (query, total) => {
      expect(await totalOf(path, query)).toBe(total);
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
    ])('is a 400 that names the right form if it is written as %s', async (written, right) => {
      const { status, body } = await service.client.get(`${path}?${written}=1`);
      const parameter = new URLSearchParams(written).keys().next().value;
      expect({ status, errors: body.errors }).toEqual({ status: 400, errors: [{ parameter, detail: `must be written as ${right}` }] });
    });

    it.each(['tag=x', '_=1732500000', 'foo[]=x', 'filter[tags]=x', 'q=x', '[]=x', '=x', 'constructor=x', 'Pages=1', 'tagsx[0]=x'])(
      'is ignored if it is unknown: %s',
      async (query) => expect(await totalOf(path, query)).toBe(3),
    );
  });

  it('may end with [] for sort and include, and not for page and size', async () => {
    const { body } = await service.client.get('/api/content?sort[]=name,&include[]=tags');
    expect(body.content.map(({ name }: { name: string }) => name)).toEqual(['One', 'Three', 'Two']);
    expect(body.content[0].tags).toEqual(['red', 'blue']);
    const wrong = await service.client.get('/api/content?page[]=0&page[size]=1&Size=2&sort[0]=name');
    expect(wrong.body.errors.map(({ detail }: { detail: string }) => detail)).toEqual(
      ['page', 'page', 'size', 'sort or sort[]'].map((form) => `must be written as ${form}`),
    );
  });

  it('has these rules on every endpoint with parameters', async () => {
    const detail = 'must be written as include or include[]';
    expect((await service.client.get(`/api/content/${id}?include[]=tags`)).body.tags).toEqual(['red', 'blue']);
    expect((await service.client.get(`/api/content/${id}?Include=tags`)).body.errors).toEqual([{ parameter: 'Include', detail }]);
    const suggest = await service.client.get('/api/content/suggest?prompt[]=on');
    expect(suggest.body.errors).toEqual([{ parameter: 'prompt[]', detail: 'must be written as prompt' }]);
    const facets = await service.client.get('/api/content/facets?tag_prefix=r');
    expect(facets.body.errors).toEqual([{ parameter: 'tag_prefix', detail: 'must be written as tagPrefix' }]);
  });

  it('is reported once, and cut if it is long', async () => {
    const { body } = await service.client.get(`/api/content?${'Page=0&'.repeat(3)}tags[${'x'.repeat(500)}]=a&size=0`);
    const named = body.errors.map(({ parameter }: { parameter: string }) => parameter);
    expect(named).toEqual(['Page', `tags[${'x'.repeat(95)}`, 'size']);
  });
});
