import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Facets } from '@ugc/api/search/facets/facets';
import type { ContentPage } from '@ugc/api/search/page';
import { tokenOf } from '../support/http/tokens.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { documentedCommands, runRequests } from '../support/processes/documented-commands.ts';
import { startService } from '../support/processes/service.ts';

const BLOCKS = documentedCommands('docs/api.md').filter(({ block }) => /\bcurl /.test(block));

describe('the requests of docs/api.md', () => {
  const service = forAllTests(() => startService());
  const run = async (requests: string, variables: Record<string, string> = {}): Promise<string> =>
    runRequests(requests, service.client.baseUrl, { TOKEN: await tokenOf(1), ...variables });

  describe('for attributes', () => {
    const { block = '' } = BLOCKS.find(({ heading }) => heading === 'Attributes') ?? {};
    const [upload = '', count = '', list = ''] = block.split('\n\n');
    const namesIn = ({ content }: ContentPage): string[] => content.map(({ name }) => name);
    beforeAll(async () => {
      await service.client.upload({ name: 'older', tags: ['map', 'licence:CC0-1.0', 'game:1.19'] });
      await service.client.upload({ name: 'other licence', tags: ['map', 'licence:MIT', 'game:1.21'] });
      await service.client.upload({ name: 'no map', tags: ['licence:CC0-1.0', 'game:1.21'] });
      await service.client.upload({ name: 'newer', tags: ['map', 'licence:CC0-1.0', 'game:1.21', 'gamepad'] });
      await run(upload);
      await service.indexed();
    });

    it('find the items with one of the values of one attribute, and with the value of another', async () => {
      expect(namesIn(JSON.parse(await run(list)) as ContentPage)).toEqual(['Lighthouse of blocks', 'newer']);
    });

    it('count the values of one attribute, also those that are not chosen', async () => {
      const { totalElements, facets } = JSON.parse(await run(count)) as Facets;
      const values = Object.entries({ 'game:1.21': 3, 'game:1.19': 1, 'game:1.20.4': 1 }).map(([tag, items]) => ({ tag, count: items }));
      expect([totalElements, facets.tags]).toEqual([1, { values, other: 0, exact: true }]);
    });

    it.each(['CC0', '1.20.4'])('are words that a prompt finds: %s', async (prompt) => {
      expect(namesIn((await service.client.list({ prompt, correct: 'false' })).body)).toContain('Lighthouse of blocks');
    });
  });

  it.each(BLOCKS)('are accepted by the service: $heading', async ({ block }) => {
    const ID = String(await service.client.upload({ name: 'Lighthouse at dusk', tags: ['wallpaper'] }));
    await service.indexed();
    const MODERATOR = await tokenOf(2, { scope: 'content:moderate' });
    await run(block.replace(/^MODERATOR=.*\n/, ''), { ID, MODERATOR });
  });
});
