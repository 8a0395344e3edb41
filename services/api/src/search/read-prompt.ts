import { confirmDraft, interpretPrompt, type Interpretation } from '../prompt/interpret-prompt.ts';
import { parsePrompt } from '../prompt/parse-prompt.ts';
import { Vocabulary, type VocabularySource } from '../prompt/vocabulary.ts';
import { asSearch } from '../searched-index/search-failed.ts';
import { searchedFields } from '../searched-index/searched-fields.ts';
import type { Deadline } from '../searched-index/with-searched-index.ts';
import type { ListParameters } from './list-parameters.ts';
import type { SearchedPrompt } from './search-query.ts';

type PromptParameters = Pick<ListParameters, 'prompt' | 'match' | 'correct'>;

/** @property confirm @throws as `readPrompt` */
type DraftPrompt = SearchedPrompt & { confirm(): Promise<Interpretation> };

/** @returns undefined for a blank prompt @throws SearchFailed, IndexMoved · ClientDisconnected */
export async function readPrompt(
  source: VocabularySource,
  { prompt, match, correct }: PromptParameters,
  deadline: Deadline,
): Promise<DraftPrompt | undefined> {
  if (prompt.trim() === '') return undefined;
  const fields = searchedFields(source.index);
  const vocabulary = new Vocabulary(source, deadline.signal);
  const lookUp = <T>(lookup: Promise<T>) => asSearch(lookup, deadline, 'the vocabulary lookup failed');
  const options = { match, correct: correct === 'true' };
  const draft = await lookUp(interpretPrompt(parsePrompt(prompt, fields), options, vocabulary));
  return { text: prompt, fields, interpretation: draft, confirm: () => lookUp(confirmDraft(draft, vocabulary)) };
}
