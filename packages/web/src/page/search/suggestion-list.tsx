import { Icon } from '../../shared/icon.tsx';
import type { Suggestions } from '../api/types.ts';
import { Thumbnail } from '../parts/thumbnail.tsx';
import { markTyped } from './mark-typed.ts';
import { t } from '../../messages/texts.ts';

type Completion = Suggestions['completions'][number];
type SuggestionListProps = {
  id: string;
  completions: Completion[];
  /** What they complete. */
  typed: string;
  active: number;
  onChoose: (completion: Completion) => void;
};

export function SuggestionList({ id, completions, typed, active, onChoose }: SuggestionListProps) {
  return (
    <ul id={id} class="suggestions" role="listbox" aria-label={t('suggestions')} hidden={completions.length === 0}>
      {completions.map((completion, position) => (
        <li
          key={`${completion.type} ${completion.text}`}
          id={`${id}-${position}`}
          role="option"
          aria-selected={position === active}
          // The text field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(completion)}
        >
          <Picture completion={completion} />
          <span dir="auto">
            {markTyped(completion.text, typed).map(({ text, isMarked }, at) => (isMarked ? <b key={at}>{text}</b> : text))}
          </span>
          {completion.type !== 'name' && <small dir="auto">{completion.name ?? t('tag')}</small>}
        </li>
      ))}
    </ul>
  );
}

function Picture({ completion: { type, contentId, hasThumbnail } }: { completion: Completion }) {
  if (contentId === undefined) return <Icon name={type === 'tag' ? 'tag' : 'search'} />;
  return <Thumbnail item={{ contentId, hasThumbnail }} />;
}
