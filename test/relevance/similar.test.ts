import { beforeAll, expect, it } from '@jest/globals';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';
import { readDemoItems } from './demo-prompts.ts';
import { mean } from './measures.ts';
import { storeDemo } from './store-demo.ts';

/** The first tag of an item says what it is. A theme is one that so many items have first. */
const ITEMS_OF_THEME = 10;
const FIRST = 5;

const service = forAllTests(() => startService());
let ids: number[];
beforeAll(async () => {
  ids = await storeDemo(service.database);
  await service.indexed();
});

it('at least four of the first five items that are similar to an item of the demo collection share a theme with it', async () => {
  const items = await readDemoItems();
  const firstTags = Map.groupBy(items, ({ tags: [first] }) => first);
  const isTheme = (tag: string): boolean => (firstTags.get(tag)?.length ?? 0) >= ITEMS_OF_THEME;
  const shares: number[] = [];
  for (const [position, { tags }] of items.entries()) {
    if (!isTheme(tags[0] ?? '')) continue;
    const { body } = await service.client.get(`/api/content/${ids[position]}/similar?size=${FIRST}&include=tags`);
    const sharing = body.content.filter((similar: { tags: string[] }) => similar.tags.some((tag) => isTheme(tag) && tags.includes(tag)));
    shares.push(sharing.length / FIRST);
  }
  expect(shares.length).toBeGreaterThan(300);
  expect(mean(shares)).toBeGreaterThan(0.8);
});
