import { listOr } from '../../messages/format.ts';
import type { ListPage } from '../api/types.ts';
import { PROMPT_MAX_LENGTH } from '../location/parameters.ts';
import type { View } from '../location/query-string.ts';
import { linkTo } from '../location/view.ts';
import { parts, t } from '../../messages/texts.ts';

type PromptNoteProps = { view: View; interpretation: Partial<NonNullable<ListPage['interpretation']>> | undefined; isEmpty: boolean };

/** How the prompt was understood, if not as it was written. Without any match, the list says so itself. */
export function PromptNote({ view, interpretation = {}, isEmpty }: PromptNoteProps) {
  const { corrected = [], split = [], missing = [], relaxed = false } = interpretation;
  const changes = [...corrected, ...split];
  const missed = isEmpty ? [] : missing;
  if (changes.length + missed.length === 0 && !relaxed) return null;
  return (
    <p class="note">
      {changes.map(({ from, to }) => (
        <span key={from}>{parts('showingInstead', { to: <strong>{to}</strong>, from })} </span>
      ))}
      {changes.length > 0 && <a {...linkTo({ ...view, correct: false, page: 0 })}>{t('asWritten')}</a>}
      <MissingWords words={missed} relaxed={relaxed} />
    </p>
  );
}

/** A cut prompt may lack half of a character. */
export function CutNote({ prompt }: View) {
  return prompt.length < PROMPT_MAX_LENGTH - 1 ? null : <p class="note">{t('promptCut', { max: PROMPT_MAX_LENGTH })}</p>;
}

function MissingWords({ words, relaxed }: { words: string[]; relaxed: boolean }) {
  return (
    <>
      {relaxed && <span> {t('someWords')}</span>}
      {words.length > 0 && <span> {t('noneHas', { words: listOr(words.map((text) => t('quoted', { text }))) })}</span>}
    </>
  );
}
