import { Icon } from '../../shared/icon.tsx';
import { formatAge, formatCount, formatDateTime } from '../../shared/format.ts';
import type { ReadItem } from '../api/content.ts';
import type { ContentItem } from '../api/types.ts';
import { EVERYTHING } from '../location/query-string.ts';
import { linkTo } from '../location/view.ts';
import { Later } from '../later.tsx';
import { declaredFields } from '../location/declared-fields.ts';
import { CreatorName } from '../parts/creator-name.tsx';
import { Part } from '../parts/part.tsx';
import { RatingFigure } from '../parts/rating-figure.tsx';
import { ContentPreview } from './content-preview.tsx';
import { Description } from './description.tsx';
import { ItemActions } from './item-actions.tsx';
import { ItemPicture } from './item-picture.tsx';
import { RatingInput } from './rating-input.tsx';
import { SimilarItems } from './similar-items.tsx';

export function ItemDetails({ read }: { read: ReadItem }) {
  const { item } = read;
  const { isRated, isPublic } = stateOf(item);
  return (
    <article class="item">
      <Part>
        <ItemPicture item={item} />
      </Part>
      <div class="item-text">
        {item.hidden && (
          <p class="error">
            Hidden {formatAge(item.hidden.since)}: {item.hidden.reason}
          </p>
        )}
        {item.visibility && <Later>{({ VisibilityNote }) => <VisibilityNote read={read} />}</Later>}
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
        by{' '}
        <a {...linkTo({ ...EVERYTHING, creatorId: [creatorId] })}>
          <CreatorName {...item} />
        </a>
      </li>
      <li>
        <RatingFigure average={avgRating} count={ratingCount} />
      </li>
      <li>
        <Icon name="download" /> {formatCount(downloadsCount, 'download')}
      </li>
      <li>
        created{' '}
        <time dateTime={createdAt} title={formatDateTime(createdAt)}>
          {formatAge(createdAt)}
        </time>
        {updatedAt !== createdAt && (
          <>
            , changed{' '}
            <time dateTime={updatedAt} title={formatDateTime(updatedAt)}>
              {formatAge(updatedAt)}
            </time>
          </>
        )}
      </li>
      <li>version {version}</li>
    </ul>
  );
}

function TagLinks({ tags }: { tags: string[] }) {
  if (tags.length === 0) return null;
  return (
    <ul class="chips" aria-label="Tags">
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
