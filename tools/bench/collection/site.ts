import type { Values } from '@ugc/fields/values';
import { HEAT_ORIGIN_MS } from '@ugc/items/changes/popularity';
import { generator, lognormal, normal, oneOf, zipf, type Draw } from './random.ts';
import { CONTENT_WORDS, isRare, wordOf, wordRanks } from './words.ts';

/**
 * What a collection has that is like that of a site: all numbers of the generator. docs/measurements.md says them too.
 * `each`: how many distinct ones there are for each item that was uploaded before.
 */
export const SITE = {
  /** The n-th creator has a share proportional to 1 / n^exponent of the items; the first one of a million 3.6 %. */
  creators: { each: 1 / 20, atLeast: 100, exponent: 0.8 },
  /** The first tag is at a quarter of the items, most are at one. */
  tags: { each: 1 / 5, atLeast: 1_000, exponent: 1, count: { median: 3, sigma: 0.6, max: 12 } },
  /** A larger collection has more words, most of which are in a few items only. */
  words: { each: 1 / 5, atLeast: 20_000 },
  name: { median: 3, sigma: 0.5, max: 15 },
  description: { median: 25, sigma: 0.9, max: 1_000 },
  /** In characters. */
  data: { median: 200, sigma: 1, max: 5_000 },
  /** Of those that have some, one in k has k downloads or more. */
  downloads: { share: 0.4, max: 1_000_000 },
  /** Of those that have downloads: at most so many of the downloads, and the mean of an item's ratings. */
  ratings: { share: 0.3, ofDownloads: 0.2, max: 20_000, mean: 4.2, deviation: 0.7 },
  edited: 0.05,
  /** In bytes. Multiply what they take by what your site has. */
  pictures: { share: 0.01, median: 20_000, sigma: 0.5, max: 200_000 },
  /** Between one upload and the next one: a million in a year. */
  secondsApart: 30,
} as const;

const OLDEST_MS = Date.UTC(2016, 0, 1);
const DAY_MS = 86_400_000;
/** Most of what happens to an item happens within a few of these days after its upload. */
const LIVELY_DAYS = 60;

/** Ids of creators are those of users that nothing else adds. */
export const FIRST_CREATOR = 10_000;

export const LICENCES = ['CC0-1.0', 'CC-BY-4.0', 'CC-BY-SA-4.0', 'MIT', 'GPL-3.0'];
const GAMES = Array.from({ length: 40 }, (_, n) => `1.${Math.floor(n / 2)}${n % 2 === 0 ? '' : '.2'}`);
const LOADERS = ['fabric', 'forge', 'quilt'];

/** `rare`: a word of the name that few items have. */
export type SiteTexts = { name: string[]; description: string[]; tags: string[]; rare: string | undefined; fields: Values };

/** Columns of the table `content`. Without the declared fields, which an older release does not have. */
export type SiteRow = Record<string, unknown>;

/**
 * A collection of so many items. Each item depends on its id only, so that it can be made in any order, and the items of a
 * small collection are the first ones of a large one.
 */
export class Site {
  readonly items: number;
  readonly creators: number;
  readonly #drawWord: Draw;
  readonly #drawTag: Draw;
  readonly #drawCreator: Draw;

  constructor(items: number) {
    this.items = items;
    this.creators = distinctOf(SITE.creators, items);
    this.#drawWord = wordRanks(distinctOf(SITE.words, items));
    this.#drawTag = zipf(distinctOf(SITE.tags, items), SITE.tags.exponent);
    this.#drawCreator = zipf(this.creators, SITE.creators.exponent);
  }

  textsOf(contentId: number): SiteTexts {
    const random = randomOf(contentId);
    const distinct = distinctOf(SITE.words, contentId);
    const words = (count: number): string[] => Array.from({ length: count }, () => wordOf(this.#drawWord(random, distinct)));
    const name = words(Math.max(1, lognormal(random, SITE.name)));
    const tag = (): string => tagOf(this.#drawTag(random, distinctOf(SITE.tags, contentId)));
    const tags = Array.from({ length: lognormal(random, SITE.tags.count) }, tag);
    return {
      name,
      rare: name.find(isRare),
      description: words(lognormal(random, SITE.description)),
      tags: [...new Set(tags)],
      fields: fieldsOf(random),
    };
  }

  rowOf(contentId: number, hasFields: boolean): SiteRow {
    const { name, description, tags, fields } = this.textsOf(contentId);
    const random = randomOf(-contentId);
    const createdMs = OLDEST_MS + SITE.secondsApart * 1_000 * contentId;
    const editedMs = random() < SITE.edited ? laterMs(createdMs, random) : undefined;
    const downloads = random() < SITE.downloads.share ? Math.min(SITE.downloads.max, Math.floor(1 / (1 - random()))) : 0;
    return {
      content_id: contentId,
      creator_id: FIRST_CREATOR + this.#drawCreator(random, distinctOf(SITE.creators, contentId)),
      name: name.join(' '),
      description: description.join(' '),
      data: pieceOf(NOISE_TEXT, lognormal(random, SITE.data), random),
      version: 1 + Math.floor(10 * random() ** 4),
      tags,
      downloads_count: downloads,
      latest_downloads_count: Math.floor(downloads * random() ** 2),
      ...ratingsOf(downloads, random),
      ...heatsOf({ createdMs, downloads }, random),
      created_at: new Date(createdMs),
      updated_at: new Date(editedMs ?? createdMs),
      edits: editedMs === undefined ? 0 : 1,
      revision: editedMs === undefined ? 1 : 2,
      latest_other_downloads: 0,
      other_downloads: 0,
      fields: hasFields ? fields : {},
    };
  }
}

/** @returns how many distinct ones a collection of so many items has */
function distinctOf({ each, atLeast }: { each: number; atLeast: number }, items: number): number {
  return Math.max(atLeast, Math.ceil(each * items));
}

function laterMs(createdMs: number, random: () => number): number {
  return createdMs - LIVELY_DAYS * DAY_MS * Math.log(1 - random());
}

/** @returns the bytes of its picture, as hexadecimal digits; undefined for most items */
export function pictureOf(contentId: number): string | undefined {
  const random = randomOf(contentId ^ 0x5bd1e995);
  return random() < SITE.pictures.share ? pieceOf(NOISE_HEX, 2 * lognormal(random, SITE.pictures), random) : undefined;
}

export function creatorName(rank: number): string {
  return `${CONTENT_WORDS[rank % CONTENT_WORDS.length]}_${rank}`;
}

/** The first tags are the most frequent. */
export function tagOf(rank: number): string {
  const wordAt = (n: number): string => CONTENT_WORDS[n % CONTENT_WORDS.length] ?? '';
  return rank < CONTENT_WORDS.length ? wordAt(rank) : `${wordAt(rank)} ${wordAt(Math.floor(rank / CONTENT_WORDS.length))}`;
}

/** Each item has a generator of its own. */
export function randomOf(seed: number): () => number {
  return generator(Math.imul(seed + 1, 2_654_435_761));
}

function ratingsOf(downloads: number, random: () => number) {
  const { share, ofDownloads, max, mean, deviation } = SITE.ratings;
  const count = downloads > 0 && random() < share ? Math.min(max, Math.ceil(downloads * ofDownloads * random())) : 0;
  const score = Math.min(5, Math.max(1, mean + deviation * normal(random)));
  return { rating_count: count, rating_sum: Math.min(5 * count, Math.max(count, Math.round(count * score))) };
}

/** As if one in twenty downloads was in the last week of the item's life, and one in a hundred on its last day. */
function heatsOf({ createdMs, downloads }: { createdMs: number; downloads: number }, random: () => number) {
  const lastMs = downloads > 0 ? laterMs(createdMs, random) : createdMs;
  const heat = (tauDays: number, share: number): number => {
    const at = (ms: number, weight: number): number => (ms - HEAT_ORIGIN_MS) / (tauDays * DAY_MS) + Math.log(Math.max(1, weight));
    return Math.max(at(createdMs, 1), at(lastMs, downloads * share));
  };
  return { heat_day: heat(1, 0.01), heat_week: heat(7, 0.05) };
}

function fieldsOf(random: () => number): Values {
  const games = Array.from({ length: 1 + Math.floor(random() * 4) }, () => GAMES[Math.floor(GAMES.length * random() ** 2)] ?? '');
  return {
    licence: LICENCES[Math.floor(LICENCES.length * random() ** 2)] ?? '',
    game: [...new Set(games)],
    players: 1 + Math.floor(99 * random() ** 3),
    build: [...new Set(games)].slice(0, 2).map((game) => ({ game, loader: oneOf(LOADERS, random) })),
  };
}

/** Nothing compresses it. */
const NOISE = Buffer.from(Uint8Array.from({ length: 262_144 }, (_, n) => 256 * randomOf(n)()));
const NOISE_TEXT = NOISE.toString('base64');
const NOISE_HEX = NOISE.toString('hex');

function pieceOf(text: string, length: number, random: () => number): string {
  const start = 2 * Math.floor((random() * (text.length - length)) / 2);
  return text.slice(start, start + length);
}
