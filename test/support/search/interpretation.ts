import { typedAlternatives, typedBeginning } from '@ugc/api/search/prompt/alternatives';
import type { Interpretation } from '@ugc/api/search/prompt/interpret-prompt';
import type { Prompt } from '@ugc/api/search/prompt/parse-prompt';

/** The interpretation of a prompt whose words all occur. */
export function asWritten(prompt: Prompt): Interpretation {
  const alternatives = [...typedAlternatives(prompt), ...typedBeginning(prompt.unfinished, true)];
  return { ...prompt, match: 'most', required: 1, missing: [], isRelaxed: false, alternatives };
}
