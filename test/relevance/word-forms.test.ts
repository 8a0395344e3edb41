import { beforeAll, describe, expect, it } from '@jest/globals';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { STOP_WORDS } from '@ugc/text/languages/languages';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import fc from 'fast-check';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { rows, runs } from '../support/jest/long.ts';
import { startService } from '../support/processes/service.ts';
import { ITEMS, TYPED } from './typed-prompts.ts';
import { differentWords, EXAMPLE_LANGUAGES, pairsOf } from './word-pairs.ts';

type Service = Awaited<ReturnType<typeof startService>>;

async function addItems(service: Service, names: string[]): Promise<void> {
  await service.database.query(
    `with c as (
       insert into content (creator_id, name, description, data, version, tags) select 1, name, '', '', 1, '{}' from unnest($1::text[]) name
       returning content_id, revision
     ) insert into index_outbox (content_id, revision) select content_id, revision from c`,
    [names],
  );
  await service.indexed();
}

const TITLES = EXAMPLE_LANGUAGES.flatMap((language) => pairsOf(language).flatMap((pair) => pair.map(({ title }) => title)));

describe(`of ${TITLES.length} items in ${EXAMPLE_LANGUAGES.length} languages`, () => {
  const service = forAllTests(() => startService());
  beforeAll(() => addItems(service, [...TITLES, ...differentWords().flatMap((pair) => pair.map(({ title }) => title))]));

  const folded = (text: string): string => NEWEST_RULES.fold(text).replaceAll("'s", '');
  const contains = (name: string, word: string): boolean => folded(name).split(' ').includes(folded(word));
  // English drops "to", "by" and "at" from prompts.
  const isDropped = (word: string): boolean => STOP_WORDS.includes(folded(word));

  it.each(EXAMPLE_LANGUAGES)(
    'each form of a word finds those with the other form, after those with the one that is typed: %s',
    async (language) => {
      const missed: string[] = [];
      for (const [one, other] of rows(
        8,
        pairsOf(language).filter((pair) => !pair.some(({ word }) => isDropped(word))),
      )) {
        for (const [typed, also] of [
          [one, other],
          [other, one],
        ] as const) {
          const names = await service.client.search(typed.word, { sort: 'relevance', size: 200 });
          const isFirst = names[0] !== undefined && contains(names[0], typed.word);
          if (!isFirst || !names.includes(also.title)) missed.push(`${typed.word}: ${names.join(', ')}`);
        }
      }
      expect(missed).toEqual([]);
    },
  );

  it('a word does not find another word that looks like a form of it', async () => {
    const united: string[] = [];
    for (const [one, other] of differentWords()) {
      // The last word of a prompt may be unfinished, and a Hebrew word may have a prefix.
      if (folded(other.word).startsWith(folded(one.word)) || one.word.endsWith(other.word)) continue;
      if ((await service.client.search(one.word, { sort: 'relevance' })).includes(other.title)) united.push(`${one.word}: ${other.title}`);
    }
    expect(united).toEqual([]);
  });
});

/** As many lists as a user may read at a time. */
const AT_ONCE = 3;

/** More words with a common beginning than a query expands a beginning to. */
const ALIKE = Array.from({ length: 70 }, (_, n) => `Kaleidoskop${String.fromCodePoint(97 + (n % 26), 97 + Math.floor(n / 26))}werk`);

describe('an item that is added', () => {
  const service = forAllTests(() => startService());

  it('removes no other item from the result of a prompt of one word, unless that was corrected', async () => {
    const [drawn] = fc.sample(
      fc.record({
        names: fc.shuffledSubarray([...ITEMS.map(({ name }) => name), ...TITLES, ...ALIKE], { minLength: 400 }),
        lengths: fc.array(fc.integer({ min: 2, max: 11 }), { minLength: 60, maxLength: 60 }),
      }),
      { numRuns: 1, seed: 48 },
    );
    const { names = [], lengths = [] } = drawn ?? {};
    const words = names.flatMap((name) => name.split(' ')).filter((word) => /^\p{L}{3,}$/u.test(word));
    const prompts = [
      ...Object.values(TYPED).flatMap((typed) => typed.map(({ prompt }) => prompt)),
      ...EXAMPLE_LANGUAGES.flatMap((language) => pairsOf(language).slice(0, 3).map(([{ word }]) => word)), // prettier-ignore
      ...lengths.map((length, n) => (words[n] ?? '').slice(0, length)),
      ...[8, 9, 10, 11].map((length) => 'kaleidoskop'.slice(0, length)),
    ];
    const asked = prompts.filter((prompt) => !/[\s"-]/.test(prompt) && parsePrompt(prompt, NEWEST_RULES).words.length === 1);
    const before = new Map<string, string[]>();
    const removed: string[] = [];
    const steps = runs(4, 8);
    const ask = async (prompt: string): Promise<void> => {
      const { headers, body } = await service.client.list({ prompt, sort: 'relevance', size: 100, fields: 'summary' });
      const found = body.content.map(({ name }) => name);
      const gone = before.get(prompt)?.filter((name) => !found.includes(name)) ?? [];
      if (gone.length > 0 && body.totalElements <= 100) removed.push(`${prompt}: ${gone.join(', ')}`);
      before.set(prompt, headers.has('search-correction') ? [] : found);
    };
    for (let step = 0; step < steps; step++) {
      await addItems(service, names.slice((step / steps) * names.length, ((step + 1) / steps) * names.length));
      for (let n = 0; n < asked.length; n += AT_ONCE) await Promise.all(asked.slice(n, n + AT_ONCE).map(ask));
    }
    expect(removed).toEqual([]);
  });
});
