import { textRulesOf, type TextRules } from '@ugc/shared/search-text/text-rules';
import { z } from 'zod';
import { PROMPT_MAX_CHARACTERS } from '../../env.ts';
import { single } from '../../http/query-parameters.ts';
import { storableText } from '../../http/text.ts';
import type { SearchDeps } from '../list.ts';
import { correctionsOf, isBeginning, isCorrection } from '../prompt/alternatives.ts';
import { interpretPrompt } from '../prompt/interpret-prompt.ts';
import { parsePrompt } from '../prompt/parse-prompt.ts';
import { Vocabulary } from '../prompt/vocabulary.ts';
import { inSession, type Caller } from '../session.ts';
import { Completion, findCompletions, MAX_COMPLETIONS } from './completions.ts';

const PROMPT_DESCRIPTION = 'What the user has typed so far. Letter case, accents and blanks at both ends are ignored.';

export const SuggestParameters = z.object({
  prompt: single(storableText({ min: 0, max: PROMPT_MAX_CHARACTERS }).default('')).meta({
    description: PROMPT_DESCRIPTION,
    example: 'lightho',
  }),
});

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

/** @throws errors of `inSession` */
export async function suggest(deps: Omit<SearchDeps, 'pages' | 'database'>, prompt: string, caller: Caller): Promise<Suggestions> {
  return inSession(deps, caller, async (session) => {
    const completions = await findCompletions(session, prompt);
    // If a word is misspelt, nothing contains it, so the vocabulary is only asked if there is no completion.
    if (completions.length > 0) return { completions };
    const vocabulary = new Vocabulary(session, deps.knownWords);
    const rules = textRulesOf(session.index.mappingVersion);
    const { alternatives, unfinished } = await interpretPrompt(parsePrompt(prompt, rules), AS_WRITTEN, vocabulary);
    const beginnings = alternatives.filter((one) => isCorrection(one) && isBeginning(one) && one.from[0] === unfinished);
    const corrections = [...correctionsOf(alternatives, { rare: false }), ...beginnings.map(({ from, to }) => [from.join(), to] as const)];
    const correction = replaceWords(prompt, rules.fold, new Map(corrections));
    if (correction === prompt) return { completions };
    return { completions: await findCompletions(session, correction), correction };
  });
}

const AS_WRITTEN = { match: 'any', correct: true } as const;

/** Only these are corrected. An invisible character may separate the letters of a word. */
const WORD = /[\p{L}\p{M}\p{Default_Ignorable_Code_Point}]+/gu;

/** @returns the prompt as it is written but for the replaced words */
function replaceWords(prompt: string, fold: TextRules['fold'], replacements: ReadonlyMap<string, string>): string {
  return prompt.replace(WORD, (word) => replacements.get(fold(word)) ?? word);
}
