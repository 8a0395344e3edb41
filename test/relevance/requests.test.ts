import { beforeAll, describe, expect, it } from '@jest/globals';
import { isCorrection } from '@ugc/text/prompt/alternatives';
import { requireClosest } from '@ugc/api/search/closest';
import { interpretPrompt, type Interpretation } from '@ugc/api/search/prompt/interpret-prompt';
import { createPromptMemory } from '@ugc/api/search/prompt/prompt-memory';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';
import { openSession } from '../support/search/searching.ts';
import { ITEMS, TYPED } from './typed-prompts.ts';

const service = forAllTests(() => startService());
beforeAll(async () => {
  for (const item of ITEMS) await service.client.upload(item);
  await service.indexed();
});

const DESCRIPTION = 'lighthouse keeper at night with a model, a lantern, a statue, a plate, a banner and a mask';

type Interpreted = { requests: number; interpretation: Interpretation };

/** Each request waits for the response to the one before. */
async function interpret(prompt: string, { knownWords } = createPromptMemory(), isClosest = false): Promise<Interpreted> {
  const session = openSession(service);
  const parsed = parsePrompt(prompt, NEWEST_RULES);
  const most = await interpretPrompt(parsed, { match: 'most', correct: true }, { session, knownWords });
  const interpretation = isClosest ? await requireClosest(session, most) : most;
  return { requests: session.requests, interpretation };
}

describe('a prompt is interpreted with so few requests one after the other', () => {
  it.each([
    ['words that occur', 'lighthouse keeper', 1],
    ['the beginning of a word', 'lighth', 1],
    ['a description', DESCRIPTION, 1],
    ['words that items contain joined too', 'peryton pixel art', 2],
    ['one error', 'lighthuose', 2],
    ['a description with one error', DESCRIPTION.replace('keeper', 'keepre'), 2],
    ['two errors', 'lihgthuose', 4],
    ['the beginning of a word with an error', 'lgihth', 4],
    ['nothing like it', 'xyzzyqxyzzyq', 4],
    ['a word in the letters of another script', 'pelmen', 5],
    ['the beginning of a word, typed with another layout of the keyboard', 'gtkmvt', 5],
  ])('%s: %s', async (_, prompt, requests) => {
    expect((await interpret(prompt)).requests).toBe(requests);
  });

  it.each([
    ['two words, of which most requires both', 'lighthouse keeper', 1],
    ['more words', 'lighthouse keeper lantern', 2],
    ['a description', DESCRIPTION, 2],
  ])('with match=closest one more, if it may require more: %s: %s', async (_, prompt, requests) => {
    expect((await interpret(prompt, undefined, true)).requests).toBe(requests);
  });

  it('words that are remembered: none', async () => {
    const memory = createPromptMemory();
    await interpret('lighthouse', memory);
    expect((await interpret('lighthouse', memory)).requests).toBe(0);
  });

  it('all that people type: four, and five if a word is found in another script', async () => {
    const LATIN = /\p{sc=Latin}/u;
    const isForeign = ({ alternatives }: Interpretation): boolean =>
      alternatives.some((one) => isCorrection(one) && LATIN.test(one.from.join('')) !== LATIN.test(one.to));
    const found: (Interpreted & { prompt: string })[] = [];
    for (const { prompt } of Object.values(TYPED).flatMap((typed) => typed.slice(0, 3)))
      found.push({ prompt, ...(await interpret(prompt)) });
    expect(found.filter(({ requests, interpretation }) => requests > (isForeign(interpretation) ? 5 : 4))).toEqual([]);
  });
});
