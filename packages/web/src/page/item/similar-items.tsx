import { listSimilar } from '../api/content.ts';
import { useQuery } from '../api/use-query.ts';
import { linkTo, useView } from '../location/view.ts';
import { Thumbnail } from '../parts/thumbnail.tsx';
import { t } from '../../messages/texts.ts';

/** An item that is opened from here takes the place of the open one, so that closing it shows the list again. */
export function SimilarItems({ contentId }: { contentId: number }) {
  const view = useView();
  const { data = [] } = useQuery(`similar ${contentId}`, (signal) => listSimilar(contentId, signal));
  if (data.length === 0) return null;
  return (
    <section class="similar" aria-labelledby="similar-title">
      <h3 id="similar-title">{t('similar')}</h3>
      <ul>
        {data.map((item) => (
          <li key={item.contentId}>
            <Thumbnail item={item} />
            <a dir="auto" {...linkTo({ ...view, item: item.contentId }, { replace: true })}>
              {item.name}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
