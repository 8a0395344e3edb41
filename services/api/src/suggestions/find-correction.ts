import { foldText } from '@ugc/shared/search-text/fold-text';
import { confirmDraft, interpretPrompt, type Draft } from '../prompt/interpret-prompt.ts';
import { parsePrompt } from '../prompt/parse-prompt.ts';
import { Vocabulary, type VocabularySource } from '../prompt/vocabulary.ts';
import { searchedFields } from '../searched-index/searched-fields.ts';

/** Only these are corrected. An invisible character may separate the letters of a word. */
const WORD = /[\p{L}\p{M}\p{Default_Ignorable_Code_Point}]+/gu;

/**
 * Replaces the words that no live item contains, as the search does.
 * @returns the prompt as it is written but for these words; undefined if there is nothing to replace
 * @throws as `Vocabulary`
 */
export async function findCorrection(source: VocabularySource, prompt: string, signal: AbortSignal): Promise<string | undefined> {
  const vocabulary = new Vocabulary(source, signal);
  const parsed = parsePrompt(prompt, searchedFields(source.index));
  const draft = await interpretPrompt(parsed, { match: 'any', correct: true }, vocabulary);
  if (draft.missing.length === 0) return undefined;
  const { words } = await confirmDraft(withoutReplacements(draft), vocabulary);
  const replacements = new Map(words.map(({ text, replacement }) => [text, replacement]));
  const corrected = prompt.replace(WORD, (word) => replacements.get(foldText(word)) ?? word);
  return corrected === prompt ? undefined : corrected;
}

/** A drafted replacement may be a word of deleted items only. */
function withoutReplacements(draft: Draft): Draft {
  return { ...draft, joins: [], words: draft.words.map((word) => ({ ...word, replacement: undefined })) };
}
