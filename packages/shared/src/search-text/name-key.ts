import { createHash } from 'node:crypto';
import { foldText } from './fold-text.ts';

/** A keyword term may have 32,766 bytes. */
export const NAME_KEY_MAX_LENGTH = 300;

/**
 * The key under which a complete name is found, regardless of accents, letter case and blanks. Long names are hashed.
 */
export function nameKey(name: string): string {
  const key = foldName(name);
  return key.length <= NAME_KEY_MAX_LENGTH ? key : createHash('sha256').update(key).digest('hex');
}

/** Folds a name or a tag, and replaces its blanks by single spaces. */
export function foldName(name: string): string {
  return foldText(name).trim().replace(/\s+/g, ' ');
}
