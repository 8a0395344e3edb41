import { t } from '../../messages/texts.ts';

/** Says how many items the filters leave, on the button that shows them. */
export function ShowItems({ n }: { n: number }) {
  return <>{t('showItems', { n })}</>;
}
