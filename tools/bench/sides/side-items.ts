import type { Values } from '@ugc/fields/values';
import type { IndexedContent } from '@ugc/shared/contracts/content';
import { SYLLABLES, VOCABULARY } from '../fill-index.ts';
import { generator, itemRow } from '../item-row.ts';

const CREATORS = 5_000;
/** A rare word is in the names of some three items, and in as many descriptions. */
const ITEMS_PER_RARE_WORD = 10;
const RARE_SHARE = 1 / 3;

export const LICENCES = ['CC0-1.0', 'CC-BY-4.0', 'CC-BY-SA-4.0', 'MIT', 'GPL-3.0'];
export const GAMES = Array.from({ length: 40 }, (_, n) => `1.${Math.floor(n / 2)}${n % 2 === 0 ? '' : '.2'}`);
const LOADERS = ['fabric', 'forge', 'quilt'];

export type SideItem = { name: string[]; description: string[]; tags: string[]; rare: string | undefined; fields: Values };

/** Each item has a generator of its own, so that every side has the same items in any order. */
export function randomOf(seed: number): () => number {
  return generator(Math.imul(seed + 1, 2_654_435_761));
}

/** @param items of the collection: a larger one has more rare words, as texts of people do */
export function itemOf(contentId: number, items: number): SideItem {
  const random = randomOf(contentId);
  const words = (count: number): string[] => Array.from({ length: count }, () => vocabularyWord(random));
  const rareWord = (): string[] => (random() < RARE_SHARE ? [rareWordOf(Math.floor((random() * items) / ITEMS_PER_RARE_WORD))] : []);
  const inName = rareWord();
  return {
    name: [...words(2), ...inName, ...words(Math.floor(random() * 2))],
    rare: inName[0],
    description: [...words(5 + Math.floor(random() * 20)), ...rareWord(), ...words(Math.floor(random() * 20))],
    tags: words(1 + Math.floor(random() * 3)),
    fields: fieldsOf(random),
  };
}

function vocabularyWord(random: () => number): string {
  return VOCABULARY[Math.floor(VOCABULARY.length * random() ** 3)] ?? '';
}

/** The bits are mixed, or these words would begin alike. */
function rareWordOf(n: number): string {
  const bits = Math.imul(n + 1, 2_654_435_761) >>> 0;
  return `${[28, 24, 20, 16].map((shift) => SYLLABLES[(bits >>> shift) & 15]).join('')}${'bdfgklmnprstvwxz'[(bits >>> 12) & 15]}`;
}

function fieldsOf(random: () => number): Values {
  const one = <T>(all: readonly T[]): T => all[Math.floor(all.length * random() ** 2)] as T;
  const games = Array.from({ length: 1 + Math.floor(random() * 4) }, () => one(GAMES));
  return {
    licence: one(LICENCES),
    game: [...new Set(games)],
    players: 1 + Math.floor(99 * random() ** 3),
    build: [...new Set(games)].slice(0, 2).map((game) => ({ game, loader: one(LOADERS) })),
  };
}

/** The row from which an indexer makes a document. */
export function rowOf(contentId: number, items: number, hasFields: boolean): IndexedContent {
  const { name, description, tags, fields } = itemOf(contentId, items);
  const texts = { name: name.join(' '), description: description.join(' '), tags, fields: hasFields ? fields : {} };
  return itemRow(contentId, texts, { creators: CREATORS, random: randomOf(-contentId) });
}
