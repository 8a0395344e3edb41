import type { Interpretation } from '@ugc/api/search/prompt/interpret-prompt';
import type { Prompt } from '@ugc/api/search/prompt/parse-prompt';

/** The interpretation of a prompt whose words all occur. */
export function asWritten(prompt: Prompt): Interpretation {
  const nothing = new Map<string, never>();
  return {
    ...prompt,
    match: 'most',
    required: 1,
    unfinishedOccurs: true,
    missing: [],
    rare: nothing,
    proposals: nothing,
    replacements: nothing,
    beginnings: nothing,
    joins: [],
    variants: nothing,
    synonyms: [],
    isRelaxed: false,
  };
}
