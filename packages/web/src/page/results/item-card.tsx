import { useEffect, useState } from 'preact/hooks';
import { Age } from '../parts/age.tsx';
import { CreatorName } from '../parts/creator-name.tsx';
import { Part } from '../parts/part.tsx';
import { ItemFigures } from '../parts/item-figures.tsx';
import { Thumbnail } from '../parts/thumbnail.tsx';
import type { ContentSummary } from '../api/types.ts';
import type { View } from '../location/query-string.ts';
import { linkTo } from '../location/view.ts';
import { Marked, MarkedText } from './marked-text.tsx';
import { parseFragment, plainTextOf } from './parse-fragment.ts';
import type * as markup from './without-markup.ts';
import { t } from '../../messages/texts.ts';

type ItemCardProps = { item: ContentSummary; view: View };

export function ItemCard(props: ItemCardProps) {
  return (
    <li class="card">
      <Part>
        <Content {...props} />
      </Part>
    </li>
  );
}

const MARKS = { public: '', draft: t('draft'), unlisted: t('unlisted'), review: t('inReview') };

/** What the viewer must know of an item that not everybody sees: a refused one waits no more. */
function marksOf({ hidden, refusal, visibility = 'public' }: ContentSummary): string[] {
  return [hidden ? t('isHidden') : '', refusal ? t('notPublished') : MARKS[visibility]].filter((mark) => mark !== '');
}

/** The link covers the card. */
function Content({ item, view }: ItemCardProps) {
  const { contentId, createdAt } = item;
  return (
    <>
      <Thumbnail item={item} />
      <div class="card-text">
        <h3 dir="auto">
          <a {...linkTo({ ...view, item: contentId })}>
            <MarkedText text={item.name} fragment={item.highlights?.name?.[0]} />
          </a>
        </h3>
        <p class="card-meta">
          {marksOf(item).map((mark) => (
            <strong key={mark}>{mark} · </strong>
          ))}
          <CreatorName {...item} /> · <Age time={createdAt} />
        </p>
        <Description item={item} />
        <Tags item={item} />
        <ItemFigures item={item} />
      </div>
    </>
  );
}

/** More than the lines that a card has room for. */
const SHOWN_MAX = 500;

/** What may be a list, bold text or a link: what removes their signs is loaded for nothing else. */
const HAS_MARKUP = /\*\*|\]\(|^- /m;

let reader: typeof markup | undefined;

/** Until it is loaded, and if it cannot be, the text is shown as it was typed. */
function useReader(isNeeded: boolean): typeof reader {
  const [read, setRead] = useState(reader);
  useEffect(() => {
    if (isNeeded && !read) import('./without-markup.ts').then((loaded) => setRead((reader = loaded)), () => undefined); // prettier-ignore
  }, [isNeeded]);
  return read;
}

function Description({ item: { description, highlights } }: { item: ContentSummary }) {
  const read = useReader(HAS_MARKUP.test(description));
  if (description === '') return null;
  const texts = highlights?.description?.map(parseFragment) ?? [[{ text: description.slice(0, SHOWN_MAX), isMarked: false }]];
  return (
    <p class="card-description" dir="auto">
      {texts.map((parts, position) => (
        <span key={position}>
          {position > 0 && ' … '}
          <Marked parts={read?.withoutMarkup(parts, description) ?? parts} />
        </span>
      ))}
    </p>
  );
}

/** Tags with a match come first, since there may be room for a few only. */
function Tags({ item: { tags = [], highlights } }: { item: ContentSummary }) {
  if (tags.length === 0) return null;
  const marked = new Map((highlights?.tags ?? []).map((fragment) => [plainTextOf(fragment), fragment]));
  return (
    <ul class="card-tags" aria-label={t('tags')}>
      {[...new Set([...marked.keys(), ...tags])].map((tag) => (
        <li key={tag} class="tag" dir="auto">
          <MarkedText text={tag} fragment={marked.get(tag)} />
        </li>
      ))}
    </ul>
  );
}
