import { useStore } from '../../shared/store.ts';
import { useCreatorNames } from '../api/creator-names.ts';
import type { Facets } from '../api/types.ts';
import { showList } from '../location/view.ts';
import { session } from '../token/session.ts';
import { Choice, ChoiceSkeletons } from './choice.tsx';
import { toggled } from './toggled.ts';

const SHOWN_MAX = 6;

/** One's own items come first. A chosen creator stays, even if none of the matches are theirs. */
export function CreatorFilter({ chosen, facet }: { chosen: number[]; facet: Facets['facets']['creators'] | undefined }) {
  const { user } = useStore(session);
  const creators = facet?.values ?? [];
  const first = [...new Set([...(user?.userId === undefined ? [] : [user.userId]), ...chosen])];
  const others = creators.map(({ creatorId }) => creatorId).filter((id) => !first.includes(id));
  const nameOf = useCreatorNames();
  return (
    <fieldset class="filter">
      <legend>Creators</legend>
      {[...first, ...others.slice(0, SHOWN_MAX)].map((id) => (
        <Choice
          key={id}
          type="checkbox"
          name="creatorId"
          label={id === user?.userId ? 'Mine' : nameOf(id, `User ${id}`)}
          count={creators.find(({ creatorId }) => creatorId === id)?.count}
          isChosen={chosen.includes(id)}
          onChange={() => showList({ creatorId: toggled(chosen, id) })}
        />
      ))}
      {!facet && <ChoiceSkeletons count={SHOWN_MAX} />}
    </fieldset>
  );
}
