import { positive } from '@ugc/shared/contracts/content';
import { z } from 'zod';
import { hasThumbnail } from '@ugc/items/changes/content-item';
import { PROMPT_MAX_CHARACTERS } from '../../env.ts';
import { flags, single } from '../../http/query-parameters.ts';
import { storableText } from '@ugc/items/fields/text';

export const Completion = z.object({
  text: z.string(),
  type: z
    .enum(['tag', 'name', 'item'])
    .describe('Whether the text is a tag of items, the name of an item, or the id of an item after `#`.'),
  name: z.string().optional().describe('The name of the item, with the type `item`.'),
  contentId: positive.optional().describe('The id of the item, with the types `item` and `name`.'),
  hasThumbnail: hasThumbnail.optional(),
});
export type Completion = z.infer<typeof Completion>;

export const MAX_COMPLETIONS = 8;

const PROMPT_DESCRIPTION = 'What the user has typed so far. Letter case, accents and blanks at both ends are ignored.';

export const SuggestParameters = z.object({
  prompt: single(storableText({ min: 0, max: PROMPT_MAX_CHARACTERS }).default('')).meta({
    description: PROMPT_DESCRIPTION,
    example: 'lightho',
  }),
  include: flags(['thumbnail']).describe('With `thumbnail`, completions that are items have `hasThumbnail`.'),
});
export type SuggestParameters = z.output<typeof SuggestParameters>;

/** What a prompt can become while it is typed. */
export const Suggestions = z
  .object({
    completions: z
      .array(Completion)
      .max(MAX_COMPLETIONS)
      .describe(
        'The item with this id, tags that begin with the prompt, then names that contain its words. What is typed completely is first.',
      ),
    correction: z
      .string()
      .optional()
      .describe('The prompt without its typing errors. Present only if items contain no completion of the prompt as it is written.'),
  })
  .meta({ id: 'Suggestions' });
export type Suggestions = z.infer<typeof Suggestions>;
