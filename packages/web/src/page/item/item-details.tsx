import { Icon } from '../../shared/icon.tsx';
import { formatAge } from '../../messages/format.ts';
import type { ReadItem } from '../api/content.ts';
import type { ContentItem } from '../api/types.ts';
import { EVERYTHING, listOf } from '../location/query-string.ts';
import { linkTo } from '../location/view.ts';
import { Later } from '../later.tsx';
import { declaredFields } from '../location/declared-fields.ts';
import { Age } from '../parts/age.tsx';
import { CreatorName } from '../parts/creator-name.tsx';
import { Part } from '../parts/part.tsx';
import { RatingFigure } from '../parts/rating-figure.tsx';
import { ContentPreview } from './content-preview.tsx';
import { Description } from './description.tsx';
import { ItemActions } from './item-actions.tsx';
import { ItemPicture } from './item-picture.tsx';
import { RatingInput } from './rating-input.tsx';
import { MoreByCreator, SimilarItems } from './similar-items.tsx';
import { VisibilityNote } from './visibility-note.tsx';
import { parts, t } from '../../messages/texts.ts';

export function ItemDetails({ read }: { read: ReadItem }) {
  const { item } = read;
  const { isRated, isPublic } = stateOf(item);
  return (
    <article class="item">
      <Part>
        <ItemPicture item={item} />
      </Part>
      <div class="item-text">
        {item.hidden && <p class="error">{t('hiddenSince', { age: formatAge(item.hidden.since), reason: item.hidden.reason })}</p>}
        {item.visibility && <VisibilityNote read={read} />}
        <Part>
          <Facts item={item} />
        </Part>
        {isRated && <RatingInput item={item} />}
        <Part>
          <Description text={item.description} />
        </Part>
        {item.fields && declaredFields.length > 0 && <Later>{({ FieldList }) => <FieldList values={item.fields ?? {}} />}</Later>}
        <Part>
          <TagLinks tags={item.tags ?? []} />
        </Part>
        <Part>
          <ContentPreview data={item.data} />
        </Part>
      </div>
      <ItemActions read={read} />
      {isPublic && (
        <Part>
          <SimilarItems contentId={item.contentId} />
          <MoreByCreator item={item} />
        </Part>
      )}
    </article>
  );
}

function stateOf({ hidden, visibility = 'public' }: ContentItem): { isRated: boolean; isPublic: boolean } {
  const isPublic = !hidden && visibility === 'public';
  return { isPublic, isRated: isPublic || (!hidden && visibility === 'unlisted') };
}

function Facts({ item }: { item: ContentItem }) {
  const { creatorId, createdAt, updatedAt, avgRating, ratingCount, downloadsCount, version } = item;
  return (
    <ul class="facts">
      <li>
        {parts('byOne', {
          name: (
            <a {...linkTo(listOf(creatorId))}>
              <CreatorName {...item} />
            </a>
          ),
        })}
      </li>
      <li>
        <RatingFigure average={avgRating} count={ratingCount} />
      </li>
      <li>
        <Icon name="download" /> {t('downloads', { n: downloadsCount })}
      </li>
      <li>{parts('createdAge', { age: <Age time={createdAt} /> })}</li>
      {updatedAt !== createdAt && <li>{parts('changedAge', { age: <Age time={updatedAt} /> })}</li>}
      <li>{t('version', { version: String(version) })}</li>
    </ul>
  );
}

function TagLinks({ tags }: { tags: string[] }) {
  if (tags.length === 0) return null;
  return (
    <ul class="chips" aria-label={t('tags')}>
      {tags.map((tag) => (
        <li key={tag}>
          <a class="chip" dir="auto" {...linkTo({ ...EVERYTHING, tags: [tag] })}>
            {tag}
          </a>
        </li>
      ))}
    </ul>
  );
}
