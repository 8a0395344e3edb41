import { z } from 'zod';
import type { Limits } from '../env.ts';
import { single } from '../http/query-parameters.ts';
import { storableText } from '../http/text.ts';
import { matchParameters } from '../search/list-parameters.ts';

/** Parameters of a list that do not change its matches are ignored. */
export function facetParameters(limits: Limits) {
  return z.object({
    ...matchParameters(limits),
    tagPrefix: single(storableText({ min: 0, max: limits.TAG_MAX_CHARACTERS }).optional()).meta({
      description: 'Counts only tags that begin with this text, regardless of accents and letter case.',
      example: 'pix',
    }),
  });
}

export type FacetParameters = z.output<ReturnType<typeof facetParameters>>;
