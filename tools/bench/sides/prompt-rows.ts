import { oneOf } from '../collection/random.ts';
import { randomOf, Site, type SiteTexts } from '../collection/site.ts';
import { FREQUENT } from '../collection/words.ts';
import { get, type Row } from './in-turn.ts';

/** At least .95 of the requests for each second. */
const AT_MOST = 1.05;
const LONG_PROMPT_WORDS = 8;

type Prompt = (item: SiteTexts, random: () => number) => string;

const rareOf = ({ rare = '' }: SiteTexts): string => rare;
const otherOf = ({ name, rare }: SiteTexts): string => name.find((word) => word !== rare) ?? '';
const frequent: Prompt = (_, random) => oneOf(FREQUENT, random);

const LISTS: Record<string, Prompt> = {
  'a rare word': rareOf,
  'known words: a rare word and another one of a name': (item) => `${otherOf(item)} ${rareOf(item)}`,
  'known words: a name': ({ name }) => name.join(' '),
  'three frequent words': (item, random) => [1, 2, 3].map(() => frequent(item, random)).join(' '),
  'eight words of an item': ({ name, description }) => [...name, ...description].slice(0, LONG_PROMPT_WORDS).join(' '),
  'eight frequent words': (item, random) => Array.from({ length: LONG_PROMPT_WORDS }, () => frequent(item, random)).join(' '),
  'a misspelt word and a known one': (item, random) => `${misspelt(rareOf(item), random)} ${otherOf(item)}`,
  'a misspelt word': (item, random) => misspelt(rareOf(item), random),
};

const SUGGESTIONS: Record<string, Prompt> = {
  'one letter': (item) => otherOf(item).slice(0, 1),
  'three letters': (item) => otherOf(item).slice(0, 3),
  'a word and one letter': ({ name: [first = '', second = ''] }) => `${first} ${second.slice(0, 1)}`,
  'a rare word and one letter': (item) => `${rareOf(item)} ${otherOf(item).slice(0, 1)}`,
  'two words and one letter': ({ name: [first = '', second = '', third = ''] }) => `${first} ${second} ${third.slice(0, 1)}`,
  'a word and three letters of the one before it': ({ name: [first = '', second = ''] }) => `${second} ${first.slice(0, 3)}`,
  'two words in another order': ({ name: [first = '', second = ''] }) => `${second} ${first}`,
  'a misspelt word': (item, random) => misspelt(rareOf(item), random),
};

/** Lists by relevance, and suggestions. Prompts are made from items with a rare word in their names. */
export function promptRows(items: number): Row[] {
  const site = new Site(items);
  const rowsOf = (kind: string, prompts: Record<string, Prompt>, path: string): Row[] =>
    Object.entries(prompts).map(([name, prompt]) => ({
      path: `${kind}, ${name}`,
      atMost: AT_MOST,
      send: get((n) => path + encodeURIComponent(promptOf(n, site, prompt))),
    }));
  return [
    ...rowsOf('list', LISTS, '/api/content?size=10&sort=relevance&prompt='),
    ...rowsOf('suggestions', SUGGESTIONS, '/api/content/suggest?prompt='),
  ];
}

/** Of the processor time of a plain list: prompts whose words have not been asked lately, and those whose words have. */
const NEW_AT_MOST = 2;
const KNOWN_AT_MOST = 1.2;
/** So many prompts return while their words are remembered. */
const RETURNING = 16;

const PLAIN: Record<string, Prompt> = {
  'a rare word': rareOf,
  'a rare word and another one of a name': (item) => `${otherOf(item)} ${rareOf(item)}`,
  'three frequent words': (item, random) => [1, 2, 3].map(() => frequent(item, random)).join(' '),
};

/** Lists by relevance. */
export function plainRows(items: number): Row[] {
  const site = new Site(items);
  const rowOf = (name: string, prompt: Prompt, atMost: number, numberOf: (n: number) => number): Row => ({
    path: name,
    atMost,
    send: get((n) => `/api/content?size=10&sort=relevance&prompt=${encodeURIComponent(promptOf(numberOf(n), site, prompt))}`),
  });
  return Object.entries(PLAIN).flatMap(([name, prompt]) => [
    rowOf(`new words: ${name}`, prompt, NEW_AT_MOST, (n) => n),
    rowOf(`known words: ${name}`, prompt, KNOWN_AT_MOST, (n) => n % RETURNING),
  ]);
}

export function promptOf(n: number, site: Site, prompt: Prompt): string {
  const random = randomOf(n);
  let item: SiteTexts;
  do item = site.textsOf(1 + Math.floor(random() * site.items));
  while (item.rare === undefined);
  return prompt(item, random);
}

/** One edit behind the first letter. */
function misspelt(word: string, random: () => number): string {
  const at = 1 + Math.floor(random() * (word.length - 2));
  const letter = oneOf([...'abcdefghijklmnopqrstuvwxyz'], random);
  return word.slice(0, at) + oneOf(['', letter, letter + (word[at] ?? '')], random) + word.slice(at + 1);
}
