import { z } from 'zod';
import type { Limits } from '../env.ts';
import { decimal, integer, parseDecimal, parseInteger, parseTime, repeatable, single, time } from '../http/query-parameters.ts';
import { storableText } from '../http/text.ts';

// The parameters of the filters. The value of each is undefined if the parameter is not given.

const MAX_VALUES = 32;

/** With a higher TAGS_MAX, a list can still require all tags of an item. */
export function tagsSchema(limits: Limits, description: string) {
  const tag = storableText({ min: 0, max: limits.TAG_MAX_CHARACTERS });
  return repeatable(z.array(tag).optional(), { max: Math.max(limits.TAGS_MAX, MAX_VALUES) }).meta({
    description: `${description} Tags are compared exactly.`,
    example: ['wallpaper', 'pixel art'],
  });
}

export function creatorIdsSchema(description: string) {
  const id = integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  return repeatable(z.array(id).optional(), { max: MAX_VALUES, parse: parseInteger }).meta({ description, example: [1, 2] });
}

export function ratingSchema(description: string) {
  return single(decimal({ min: 0, max: 5 }).optional(), parseDecimal).meta({
    description: `${description} In decimal notation without an exponent.`,
    example: 4.5,
  });
}

export function countSchema(description: string) {
  return single(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional(), parseInteger).meta({ description, example: 100 });
}

/** In milliseconds since 1970. */
export function timeSchema(description: string) {
  return single(time().optional(), parseTime).meta({
    description: `${description} A date is midnight UTC.`,
    example: '2026-11-20T09:30:00+00:00',
  });
}
