import { expect, it } from '@jest/globals';
import { corrected, otherForms, joined, meant, near, otherWay, type Alternative } from '@ugc/text/prompt/alternatives';
import { foldedWords, parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { nameQuery } from '@ugc/api/search/name-query';
import { asWritten } from '../support/search/searching.ts';

type Match = { query: string; boost: number };
type Found = { text: string; boost: number; isBeginning: boolean };

/** What names are searched for in the place of each word. */
function searched(prompt: string, alternatives: Alternative[] = [], missing: string[] = []): Found[][] {
  const written = asWritten(parsePrompt(prompt, NEWEST_RULES));
  const [query] = nameQuery({ ...written, missing, alternatives: [...written.alternatives, ...alternatives] });
  const { bool } = (query ?? { bool: { must: [] } }) as unknown as { bool: { must: { dis_max: { queries: object[] } }[] } };
  return bool.must.map(({ dis_max: { queries } }) => queries.map(foundBy));
}

function foundBy(query: object): Found {
  if ('term' in query) {
    const { value, boost } = (query.term as { nameParts: { value: string; boost: number } }).nameParts;
    return { text: value, boost: Number((boost / 1.65).toFixed(2)), isBeginning: false };
  }
  const json = JSON.stringify(query);
  const [, kind, match] = /"(match|match_phrase_prefix)":\{"folded\.name\.words":(\{.*?\})/.exec(json) ?? [];
  const { query: text, boost } = JSON.parse(match ?? '') as Match;
  return { text, boost: Number((boost / 1.65).toFixed(2)), isBeginning: kind === 'match_phrase_prefix' };
}

const whole = (text: string, boost: number): Found => ({ text, boost, isBeginning: false });
const begins = (text: string, boost = 0.45): Found => ({ text, boost, isBeginning: true });

it('a name is searched for by each word, by its other forms, and by the last word as a beginning', () => {
  expect(searched('copper finnegals')).toEqual([
    [whole('copper', 1), begins('copper')],
    [whole('finnegals', 1), begins('finneg'), begins('finnegals')],
  ]);
});

it('a name that has another form has a number of the noun or a time of the verb, and no other word with its stem', () => {
  const [query] = nameQuery(asWritten(parsePrompt('ponies x', NEWEST_RULES)));
  const form = {
    bool: { must: [{ match_phrase_prefix: { 'folded.name.words': { query: 'pon', boost: 0.45 * 1.65, max_expansions: 10 } } }] },
  };
  expect(JSON.stringify(query)).toContain(JSON.stringify(form).slice(0, -2));
  expect(JSON.stringify(query)).toMatch(/"filter":\[\{"terms":\{"folded\.name\.words":\[[^\]]*"pony"/);
});

it.each([
  ['a correction, as much as the word', corrected(['lamp'], 'lump'), [whole('lump', 1), begins('lump')]],
  ['a word that resembles it, less', near('lamp', 'lump'), [whole('lump', 0.15), begins('lump', 0.15)]],
  ['another way to write it', otherWay('lamp', 'l amp'), [whole('l amp', 0.45)]],
  ['a joined word', joined({ from: ['lamp', 'oil'], to: 'lampoil', isBeginning: false }), [whole('lampoil', 0.45), begins('lampoil')]],
  [
    'the form of which the key says how it is written',
    otherForms(['lamp'], ['de=lampe', 'nl=lampe', 'umlaut:lämp']),
    [whole('lampe', 0.45), whole('lämp', 0.45)],
  ],
  ['the word as a part of another one', otherForms(['lamp'], ['part:lamp', 'de=lampe']), [whole('part:lamp', 0.45), whole('lampe', 0.45)]],
  ['the beginning that it shares with its forms', otherForms(['lampen'], ['de:lampe', 'nl:lampen']), [begins('lampe')]],
])('a name is also searched for by %s', (_, alternative, found) => {
  const [word = ''] = alternative.from;
  const [queries = []] = searched(`${word} oil`, [alternative]);
  expect(queries.slice(2)).toEqual(found);
});

it('a name is searched for by the three most frequent ones of each kind of alternatives', () => {
  const ways = ['one', 'two', 'three', 'four'].map((to) => otherWay('lamp', to));
  expect(searched('lamp oil', ways)[0]?.slice(2)).toEqual([whole('one', 0.45), whole('two', 0.45), whole('three', 0.45)]);
});

it('a word that no item has is not searched for in names', () => {
  expect(searched('lamp xyzzyq', [], ['xyzzyq'])).toHaveLength(1);
  expect(searched('xyzzyq', [], ['xyzzyq'])).toEqual([]);
});

it('a name is not searched for by a synonym beside a word that items contain, of which a name may be rarer', () => {
  const synonym = (isBeside: boolean): Alternative =>
    meant({ from: ['lamp'], to: foldedWords('torch', NEWEST_RULES), replaces: false }, parsePrompt('lamp', NEWEST_RULES), isBeside);
  expect([true, false].map((isBeside) => searched('lamp', [synonym(isBeside)])[0]?.some(({ text }) => text === 'torch'))).toEqual([
    false,
    true,
  ]);
});

it('a word that the operator replaces is not searched for in names', () => {
  const written = asWritten(parsePrompt('lamp', NEWEST_RULES));
  const synonym: Alternative = { from: ['lamp'], to: 'torch', kind: 'synonym', weight: 0.9, terms: [{ by: 'sequence', text: 'torch' }] };
  const query = JSON.stringify(nameQuery({ ...written, alternatives: [synonym] }));
  expect(query).toContain('torch');
  expect(query).not.toContain('lamp');
});
