import type { Facets } from '../api/types.ts';
import { showList } from '../location/view.ts';
import { Choice, ChoiceSkeletons } from './choice.tsx';
import { toggled } from './toggled.ts';

type TagFilterProps = {
  chosen: string[];
  facet: Facets['facets']['tags'] | undefined;
  prefix: string;
  onPrefix: (prefix: string) => void;
};

const SHOWN_MAX = 8;

/** A further tag narrows the list, so each count is that of the list after the choice. */
export function TagFilter({ chosen, facet, prefix, onPrefix }: TagFilterProps) {
  const countOf = (tag: string): number | undefined => facet?.values.find((value) => value.tag === tag)?.count;
  const others = (facet?.values ?? []).map(({ tag }) => tag).filter((tag) => !chosen.includes(tag));
  return (
    <fieldset class="filter">
      <legend>Tags</legend>
      <input
        class="input input-small"
        type="search"
        aria-label="Find a tag"
        placeholder="Find a tag"
        value={prefix}
        onInput={(event) => onPrefix(event.currentTarget.value)}
      />
      {[...chosen, ...others.slice(0, SHOWN_MAX)].map((tag) => (
        <Choice
          key={tag}
          type="checkbox"
          name="tags"
          label={tag}
          count={countOf(tag)}
          isChosen={chosen.includes(tag)}
          onChange={() => showList({ tags: toggled(chosen, tag) })}
        />
      ))}
      {!facet && <ChoiceSkeletons count={SHOWN_MAX} />}
      {facet && others.length === 0 && prefix !== '' && <p class="muted">No tag begins with “{prefix}”.</p>}
    </fieldset>
  );
}
