import { foldText } from '@ugc/shared/search-text/fold-text';
import type { SearchDeps } from '../list.ts';
import { confirmDraft, interpretPrompt, type Draft } from '../prompt/interpret-prompt.ts';
import { parsePrompt } from '../prompt/parse-prompt.ts';
import { Vocabulary } from '../prompt/vocabulary.ts';
import { inSession, type Caller } from '../session.ts';
import { textFieldsOf } from '../text-fields.ts';
import { findCompletions } from './completions.ts';
import type { Suggestions } from './suggestions.ts';

/** The first version of the mapping with words of names and keys of tags. */
const MAPPING_VERSION = 4;

/** @throws Problem 503 over an index of an older release · errors of `inSession` */
export async function suggest(deps: Omit<SearchDeps, 'pages'>, prompt: string, caller: Caller): Promise<Suggestions> {
  return inSession(deps, caller, async (session) => {
    session.requireMapping(MAPPING_VERSION, 'Suggestions');
    const completions = await findCompletions(session, prompt);
    // If a word is misspelt, nothing contains it, so the vocabulary is only asked if there is no completion.
    if (completions.length > 0) return { completions };
    const parsed = parsePrompt(prompt, textFieldsOf(session.index));
    const vocabulary = new Vocabulary(session, deps.knownWords);
    const correction = correct(prompt, await findReplacements(await interpretPrompt(parsed, AS_WRITTEN, vocabulary), vocabulary));
    if (correction === prompt) return { completions };
    return { completions: await findCompletions(session, correction), correction };
  });
}

const AS_WRITTEN = { match: 'any', correct: true } as const;

/** Only these are corrected. An invisible character may separate the letters of a word. */
const WORD = /[\p{L}\p{M}\p{Default_Ignorable_Code_Point}]+/gu;

type Replacements = Map<string, string | undefined>;

/** @returns the words that no live item contains, each with its replacement, as the search does */
async function findReplacements(draft: Draft, vocabulary: Vocabulary): Promise<Replacements> {
  if (draft.missing.length === 0) return new Map();
  const { words } = await confirmDraft(withoutReplacements(draft), vocabulary);
  return new Map(words.map(({ text, replacement }) => [text, replacement]));
}

/** A drafted replacement may be a word of deleted items only. */
function withoutReplacements(draft: Draft): Draft {
  return { ...draft, joins: [], words: draft.words.map((word) => ({ ...word, replacement: undefined })) };
}

/** @returns the prompt as it is written but for the replaced words */
function correct(prompt: string, replacements: Replacements): string {
  return prompt.replace(WORD, (word) => replacements.get(foldText(word)) ?? word);
}
