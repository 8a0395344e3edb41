import { Icon } from '../../shared/icon.tsx';
import type { Suggestions } from '../api/types.ts';

type Completion = Suggestions['completions'][number];
type SuggestionListProps = { id: string; completions: Completion[]; active: number; onChoose: (completion: Completion) => void };

export function SuggestionList({ id, completions, active, onChoose }: SuggestionListProps) {
  return (
    <ul id={id} class="suggestions" role="listbox" aria-label="Suggestions" hidden={completions.length === 0}>
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
          <Icon name={completion.type === 'tag' ? 'tag' : 'search'} />
          <span dir="auto">{completion.text}</span>
          {completion.type !== 'name' && <small dir="auto">{completion.name ?? 'tag'}</small>}
        </li>
      ))}
    </ul>
  );
}
