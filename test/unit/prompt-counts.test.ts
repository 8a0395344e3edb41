import { describe, expect, it } from '@jest/globals';
import { normalizePrompt, PromptCounts, type Search } from '@ugc/api/search/insights/prompt-counts';
import fc from 'fast-check';

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
    expect(ofOne).toBeLessThanOrEqual(20);
    expect(omitted()).toBe(10_000 - ofOne);
  });

  it('of one user ends for the day', () => {
    const { add, prompts } = counts();
    let counted = 0;
    for (let n = 0; n < 1_000; n++) {
      add(1, `${n} flood`);
      counted += prompts().length;
    }
    expect(counted).toBe(200);
    add(2, 'quokka');
    expect(prompts()).toEqual([[2, 'quokka']]);
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
    );
  });
});
