import { z } from 'zod';
import type { Limits } from '../../env.ts';
import { single } from '../../http/query-parameters.ts';
import { storableText } from '../../http/text.ts';

const PROMPT_DESCRIPTION = 'What the user has typed so far. Letter case, accents and blanks at both ends are ignored.';

export function suggestParameters(limits: Limits) {
  const prompt = storableText({ min: 0, max: limits.PROMPT_MAX_CHARACTERS });
  return z.object({ prompt: single(prompt.default('')).meta({ description: PROMPT_DESCRIPTION, example: 'lightho' }) });
}

const Completion = z.object({
  text: z.string(),
  type: z.enum(['tag', 'name']).describe('Whether the text is a tag of items, or the name of an item.'),
});
export type Completion = z.infer<typeof Completion>;

export const MAX_COMPLETIONS = 8;

/** What a prompt can become while it is typed. */
export const Suggestions = z
  .object({
    completions: z.array(Completion).max(MAX_COMPLETIONS).describe('Tags that begin with the prompt, then names that contain it.'),
    correction: z
      .string()
      .optional()
      .describe('The prompt without its typing errors. Present only if items contain no completion of the prompt as it is written.'),
  })
  .meta({ id: 'Suggestions' });
export type Suggestions = z.infer<typeof Suggestions>;
