import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';
import { ITEMS, TYPED, type Typed } from './typed-prompts.ts';

const service = forAllTests(() => startService());
beforeAll(async () => {
  for (const item of ITEMS) await service.client.upload(item);
  await service.indexed();
});

async function namesFor({ prompt, match, correct }: Typed): Promise<string[]> {
  return service.client.search(prompt, { sort: 'relevance', size: 20, ...(match && { match }), ...(correct && { correct }) });
}

function describePrompt({ prompt, match, correct }: Typed): string {
  return [prompt, match && `match=${match}`, correct && `correct=${correct}`].filter((part) => part !== undefined).join(' ');
}

describe.each(Object.entries(TYPED))('what people type is found: %s', (_, prompts) => {
  it.each(prompts.map((typed) => [describePrompt(typed), typed] as const))('%s', async (_prompt, typed) => {
    const names = await namesFor(typed);
    if (typed.found.length === 0) expect(names).toEqual([]);
    if (typed.isOrdered) expect(names.slice(0, typed.found.length)).toEqual(typed.found);
    expect(names).toEqual(expect.arrayContaining(typed.found));
    expect(names.filter((name) => typed.absent?.includes(name))).toEqual([]);
  });
});
