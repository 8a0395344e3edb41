import { LRUCache } from 'lru-cache';
import type { Join } from './alternatives.ts';

/** What is remembered of a word that occurs. `variants` is undefined if they, and `forms`, were not asked for. */
export type KnownWord = { variants: string[] | undefined; forms: string[]; proposals: string[] };
/** `joins`: whether an item contains the joined words. */
export type KnownWords = { words: LRUCache<string, KnownWord>; joins: LRUCache<string, boolean> };

const REMEMBERED_MS = 30_000;
const ABSENT_REMEMBERED_MS = 1_000;
const MAX_REMEMBERED = 20_000;
/** Bounds the memory that joined words take: unlike other words, they need not occur. */
const MAX_JOINED_LENGTH = 100;

/**
 * Words that occurred in an item a short while ago. Words that occur nowhere are not remembered: an upload may add
 * them. Joined words are, for a second, because hardly any pair of words is also written as one.
 */
export function createKnownWords(): KnownWords {
  const options = { max: MAX_REMEMBERED, ttl: REMEMBERED_MS };
  return { words: new LRUCache(options), joins: new LRUCache(options) };
}

/** @returns whether an item contains the joined words; undefined if that is not known */
export function rememberedJoin({ joins }: KnownWords, join: Join): boolean | undefined {
  return joins.get(keyOf(join));
}

export function rememberJoin({ joins }: KnownWords, join: Join, occurs: boolean): void {
  if (join.to.length <= MAX_JOINED_LENGTH) joins.set(keyOf(join), occurs, { ttl: occurs ? REMEMBERED_MS : ABSENT_REMEMBERED_MS });
}

/** @returns whether it was remembered */
export function forgetJoin({ joins }: KnownWords, join: Join): boolean {
  return joins.delete(keyOf(join));
}

function keyOf({ to, isBeginning }: Join): string {
  return isBeginning ? `${to}*` : to;
}
