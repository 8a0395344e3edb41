import { isCorrection } from '@ugc/text/prompt/alternatives';
import { LRUCache } from 'lru-cache';
import type { Interpretation } from './interpret-prompt.ts';
import type { WordFacts } from './known.ts';

/** What is remembered between requests. The words are those that occurred in an item, by index. */
export type PromptMemory = { knownWords: LRUCache<string, WordFacts>; knownPrompts: LRUCache<string, Interpretation> };

/** An upload with another form of a remembered word is not found by it for so long. */
const WORDS = { ttl: 5_000, max: 20_000, maxSize: 16 * 2 ** 20 };
const PROMPTS = { ttl: 1_000, max: 1_000, maxSize: 32 * 2 ** 20 };
const MAX_REMEMBERED_LENGTH = 200;
/** The query that is made of a prompt has the same texts, and clauses of its own. */
const QUERY_BYTES = 8_192;

/**
 * A prompt is interpreted once for the list, its facets and its next page, and for many users who send it. Users choose how
 * large it gets, so bytes are counted, and what has expired is freed at once.
 */
export function createPromptMemory(): PromptMemory {
  return {
    knownWords: new LRUCache({ ...WORDS, ttlAutopurge: true, sizeCalculation: (facts, key) => bytesOf(key) + bytesOf(facts) }),
    knownPrompts: new LRUCache({ ...PROMPTS, ttlAutopurge: true, sizeCalculation: (prompt) => QUERY_BYTES + bytesOf(prompt) }),
  };
}

/** Not with words that occur nowhere: an upload may add them. */
export function mayBeRemembered({ text, missing, alternatives }: Interpretation): boolean {
  return text.length <= MAX_REMEMBERED_LENGTH && missing.length === 0 && !alternatives.some(isCorrection);
}

const STRING_BYTES = 24;
const OBJECT_BYTES = 48;
const POINTER_BYTES = 8;

/** About what a value of plain objects takes in memory, measured within a fifth. Functions are those of the source. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return STRING_BYTES + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 0;
  const parts = value instanceof Map ? [...value].flat() : Object.values(value);
  return parts.reduce((sum: number, part) => sum + POINTER_BYTES + bytesOf(part), OBJECT_BYTES);
}
